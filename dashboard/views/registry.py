"""All views, in the order of the navigation."""

from typing import Final

from dashboard.view import View
from dashboard.views import all_runs, one_run

VIEWS: Final[tuple[View, ...]] = (all_runs.VIEW, one_run.VIEW)
