"""What an endpoint is: an address, and a function from what was asked to a typed answer."""

from collections.abc import Callable
from typing import Any, NamedTuple

from hyperspace.dashboard.question import Question, RunKind


class ApiEndpoint(NamedTuple):
    """An endpoint of `/api`.

    Attributes:
        name: In one word.
        path: Its address with parameters in braces, such as `/api/runs/{run}`.
        answer: Reads; called in a thread; returns an object of the kind below.
        kind: The type of the answer, which msgspec encodes, and of which the OpenAPI file is made.
        summary: A sentence about it.
        query: What it takes behind the question mark: names with a sentence about each.
        of: Runs that it is about, as of a view.
    """

    name: str
    path: str
    answer: Callable[[Question], Any]
    kind: type
    summary: str
    query: tuple[tuple[str, str], ...] = ()
    of: RunKind = "agents"
