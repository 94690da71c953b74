"""What a change is: an address to which a page posts, and a function that does it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from hyperspace.dashboard.question import Question


class AskedChange(NamedTuple):
    """A change as it is asked for.

    Attributes:
        question: Addresses and sources, as for a view.
        body: What was posted, of the endpoint's kind.
        key: Names this change: asked for again under the same one, it is not done again.
    """

    question: Question
    body: Any
    key: str


class ChangeEndpoint(NamedTuple):
    """An endpoint that changes something; it exists with `--steer` alone.

    Attributes:
        name: In one word.
        path: Its address with parameters in braces, such as `/api/runs/{run}/pause`.
        change: Does it; called in a thread; returns an object of the kind `kind`.
        body: The type of what is posted, decoded strictly by msgspec.
        kind: The type of the answer.
        summary: A sentence about it.
    """

    name: str
    path: str
    change: Callable[[AskedChange], Any]
    body: type
    kind: type
    summary: str
