"""All endpoints, and what can be changed."""

from typing import Final

from hyperspace.dashboard.api import (
    adoptions,
    archive,
    audit,
    compare,
    generation,
    ideas,
    marks,
    metrics,
    review,
    run,
    runs,
    search,
    spending,
    steering,
    trace,
)
from hyperspace.dashboard.api.acts import start, trash
from hyperspace.dashboard.api.change import ChangeEndpoint
from hyperspace.dashboard.api.endpoint import ApiEndpoint

ENDPOINTS: Final[tuple[ApiEndpoint, ...]] = (
    runs.ENDPOINT,
    run.ENDPOINT,
    metrics.ENDPOINT,
    spending.ENDPOINT,
    archive.ENDPOINT,
    generation.ENDPOINT,
    ideas.LIST,
    ideas.ONE,
    adoptions.ENDPOINT,
    audit.ENDPOINT,
    trace.ENDPOINT,
    search.ENDPOINT,
    search.RUN_ENDPOINT,
    marks.ENDPOINT,
    compare.ENDPOINT,
    steering.ENDPOINT,
    trash.ENDPOINT,
)
CHANGES: Final[tuple[ChangeEndpoint, ...]] = (
    start.START,
    start.FORECAST,
    trash.PUT,
    trash.RESTORE,
    review.CHANGE,
    steering.CHANGE,
)
