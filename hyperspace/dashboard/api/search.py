"""Words found in traces and code, as JSON."""

from typing import Final

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.search.search import SearchAnswer, search

_QUERY: Final = (
    ("q", "What to find, as it stands: at least three letters, whatever their case."),
    ("after", "Where to go on, as the answer before says."),
    ("content", "1 for the words around, too."),
)


def answer(question: Question) -> SearchAnswer:
    """Search."""
    return search(question, with_texts=question.with_texts)


ENDPOINT = ApiEndpoint(
    "search", "/api/search", answer, SearchAnswer, "Words found in all runs.", _QUERY
)
RUN_ENDPOINT = ApiEndpoint(
    "run_search",
    "/api/runs/{run}/search",
    answer,
    SearchAnswer,
    "Words found in the traces and the code of one run.",
    _QUERY,
)
