"""All views, in the order of the navigation."""

from typing import Final

from hyperspace.dashboard.view import View
from hyperspace.dashboard.views import (
    adoptions,
    all_runs,
    compare,
    diff,
    generation,
    guard,
    lineage,
    marks,
    new_run,
    one_run,
    review,
    search,
    spending,
    steer,
    trace,
    trash,
)
from hyperspace.dashboard.views.research import idea

VIEWS: Final[tuple[View, ...]] = (
    all_runs.VIEW,
    one_run.VIEW,
    spending.VIEW,
    adoptions.VIEW,
    lineage.VIEW,
    guard.VIEW,
    generation.VIEW,
    idea.VIEW,
    diff.VIEW,
    trace.VIEW,
    search.VIEW,
    search.RUN_VIEW,
    marks.VIEW,
    steer.VIEW,
    review.VIEW,
    compare.VIEW,
    new_run.VIEW,
    trash.VIEW,
)
