"""The items that a generation was evaluated on."""

from typing import Final, NamedTuple

from hyperspace.reporting.lines import counted, score
from hyperspace.runs.items import EvaluatedItem, EvaluatedSplit

_NAMES: Final = {"train": "Train items", "val": "Validation items"}


class ShownSplit(NamedTuple):
    """A split of a generation.

    Attributes:
        id: Of its part of the page.
        title: Of that part, too.
        split: What was evaluated.
        summary: How many items there are, how many right, in words.
        items: Wrong ones first, as they are what people look for.
        has_labels: Whether any label is known.
        has_scores: Whether any score is known.
    """

    id: str
    title: str
    split: EvaluatedSplit
    summary: str
    items: list[EvaluatedItem]
    has_labels: bool
    has_scores: bool


def shown_split(split: EvaluatedSplit) -> ShownSplit:
    """Return a split as a part of a page."""
    items = sorted(split.items, key=_order)
    right = [item.is_right for item in items if item.is_right is not None]
    failed = sum(bool(item.error) for item in items)
    summary = counted(len(items), "item")
    summary += f", {sum(right)} right" if right else ""
    summary += f", {failed} without a prediction" if failed else ""
    return ShownSplit(
        f"items-{split.split}",
        f"{_NAMES[split.split]}: {score(split.score)} {split.metric}".rstrip(),
        split,
        summary,
        items,
        has_labels=any(item.label is not None for item in items),
        has_scores=any(item.score is not None for item in items),
    )


def _order(item: EvaluatedItem) -> tuple[bool, bool, float]:
    return not item.error, bool(item.is_right), 0.0 if item.score is None else item.score
