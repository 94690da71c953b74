"""Tasks on which an answer is more or less good, not right or wrong."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from domains.base import Split


@runtime_checkable
class Graded(Protocol):
    """A domain that scores each item by itself."""

    def item_scores(self, split: Split, predictions: Mapping[str, str]) -> dict[str, float]:
        """Score of every item of the split by its id; finite, 0 where there is no prediction."""
        ...
