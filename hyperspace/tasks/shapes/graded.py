"""Tasks on which an answer is more or less good, not right or wrong."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from hyperspace.tasks.base import Domain, Split
from hyperspace.tasks.protocols import speaks


@runtime_checkable
class Graded(Protocol):
    """A domain that scores each item by itself."""

    def item_scores(self, split: Split, predictions: Mapping[str, str]) -> dict[str, float]:
        """Score of every item of the split by its id; finite, 0 where there is no prediction."""
        ...


def item_scores(
    domain: Domain, split: Split, predictions: Mapping[str, str]
) -> dict[str, float] | None:
    """Return the scores of a split's items by id; None where items are right or wrong."""
    return domain.item_scores(split, predictions) if speaks(domain, Graded) else None
