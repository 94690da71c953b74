"""Tasks whose answers a judge model grades by a rubric."""

from typing import Final, Protocol, runtime_checkable

from hyperspace.tasks.base import Item
from hyperspace.tasks.shapes.outcome import Outcome

UNREADABLE: Final = Outcome(0.0, "no reply of the judge could be read", "", {"unreadable": 1})


@runtime_checkable
class JudgedByModel(Protocol):
    """A domain that needs a judge; the host asks it, metered, traced and recorded.

    An unreadable reply is asked for once more; then it counts as `worst`.
    """

    def question(self, item: Item, answer: str) -> str:
        """Return what the judge is asked; the answer in it is marked as data."""
        ...

    def judgement(self, item: Item, reply: str) -> Outcome | None:
        """Read the judge's reply; None if it cannot be read."""
        ...

    def worst(self, item: Item) -> Outcome:
        """The finding if no reply could be read; its details count the unreadable ones."""
        ...
