"""The numbers that a run's curves are drawn from, as JSON."""

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.errors import BadQuery
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.curves import (
    COLUMNS,
    MOST_COLUMNS,
    SERIES,
    Metrics,
    curves_of,
    metrics,
)


def answer(question: Question) -> Metrics:
    """Return the series that are asked for, separated by commas.

    Raises:
        BadQuery: There is no series of this name.
    """
    wanted = question.text("series", "val,best").split(",")
    for name in wanted:
        if name not in SERIES:
            raise BadQuery(f"there is no series {name[:40]!r}; there are {', '.join(SERIES)}")
    return metrics(
        question, curves_of(question), wanted, question.whole("columns", COLUMNS, MOST_COLUMNS)
    )


ENDPOINT = ApiEndpoint(
    "metrics",
    "/api/runs/{run}/metrics",
    answer,
    Metrics,
    "Scores and sums of a run by generation, thinned to what a screen can show, and its adoptions.",
    (
        ("series", f"Some of {', '.join(SERIES)}, separated by commas; val,best if not given."),
        ("from", "First generation; 0 if not given."),
        ("to", "Last generation; the newest if not given."),
        ("columns", f"Columns of pixels, at most {MOST_COLUMNS}; {COLUMNS} if not given."),
    ),
    "any",
)
