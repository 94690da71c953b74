"""All endpoints."""

from typing import Final

from dashboard.api import runs
from dashboard.api.endpoint import ApiEndpoint

ENDPOINTS: Final[tuple[ApiEndpoint, ...]] = (runs.ENDPOINT,)
