"""Which results of evaluation an agent gets to see: what it can optimise for.

Errors: `ValueError` for a split or a degree that does not exist; says what does.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

import msgspec

Train = Literal["full", "scores", "none"]
Val = Literal["scores", "rounded", "ladder", "none"]
Test = Literal["none"]
DEGREES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "train": get_args(Train),
        "val": get_args(Val),
        "test": get_args(Test),
    }
)


class Visibility(msgspec.Struct, frozen=True, kw_only=True):
    """The data that agents see of each split, for their own generations and their peers'.

    Attributes:
        train: `full` is inputs, labels, predictions and scores; `scores` the scores alone.
        val: Labels of validation are sealed, so the scores at most: exactly, or as
            `hyperspace.kernel.selection.fitness_in_sight` makes them `rounded` or a `ladder`.
        test: Nothing: test is evaluated when all generations are closed.
    """

    train: Train = "full"
    val: Val = "scores"
    test: Test = "none"

    def scores(self, train: float | None, val: float | None) -> dict[str, float | None]:
        """The scores in sight, by their names in metadata; hidden ones are absent."""
        scores: dict[str, float | None] = {}
        if self.train != "none":
            scores["train_score"] = train
        if self.val != "none":
            scores["val_score"] = val
        return scores


def parse_visibility(text: str) -> Visibility:
    """Read SPLIT=DEGREE,...; splits that are not named keep their defaults.

    Raises:
        ValueError: There is no such split or degree, or a split is named twice.
    """
    chosen: dict[str, str] = {}
    for part in text.split(","):
        split, _, degree = part.partition("=")
        if split not in DEGREES:
            raise ValueError(f"no split {split!r}; there are: {', '.join(DEGREES)}")
        if degree not in DEGREES[split]:
            raise ValueError(f"{part}: {split} can be {' or '.join(DEGREES[split])}")
        if split in chosen:
            raise ValueError(f"{text}: {split} is named twice")
        chosen[split] = degree
    return msgspec.convert(chosen, Visibility)
