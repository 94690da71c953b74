"""The items that a generation was evaluated on."""

from collections.abc import Iterator
from typing import Final

from hyperspace.dashboard.pages.facts import PagePart
from hyperspace.dashboard.pages.parts import named, shortened
from hyperspace.reporting.lines import counted, score
from hyperspace.reporting.page import (
    Markup,
    folded,
    marked,
    note,
    paragraph,
    preformatted,
    said,
    table,
)
from hyperspace.runs.items import EvaluatedItem, EvaluatedSplit

MOST_ITEMS: Final = 500
MOST_ANSWERS: Final = 50
MOST_ANSWER: Final = 4_000  # characters of one answer
MOST_ERROR: Final = 300
_NAMES: Final = {"train": "Train items", "val": "Validation items"}


def split_part(split: EvaluatedSplit) -> PagePart:
    """Return a split's items; wrong ones first, as they are what people look for."""
    title = f"{_NAMES[split.split]}: {score(split.score)} {split.metric}".rstrip()
    parts: list[Markup] = [note(problem) for problem in split.notes]
    if split.staged_only:
        parts.append(paragraph("The staged items alone were evaluated."))
    if split.items:
        told = counted(len(split.items), "item")
        right = [item.is_right for item in split.items if item.is_right is not None]
        failed = sum(bool(item.error) for item in split.items)
        told += f", {sum(right)} right" if right else ""
        told += f", {failed} without a prediction" if failed else ""
        parts.append(folded(told, *_items(split)))
    if split.split == "val":
        parts.append(paragraph("Agents never see the answers to these."))
    return PagePart(f"items-{split.split}", title, *parts)


def _items(split: EvaluatedSplit) -> Iterator[Markup]:
    items = sorted(split.items, key=_order)
    has_labels = any(item.label is not None for item in items)
    has_scores = any(item.score is not None for item in items)
    headings = ["item", "prediction"]
    headings += ["label"] * has_labels + ["score"] * has_scores
    rows = [
        (
            named(item.id),
            _prediction(item),
            *([named(item.label or "")] if has_labels else []),
            *([score(item.score)] if has_scores else []),
        )
        for item in items[:MOST_ITEMS]
    ]
    left_out = len(items) - MOST_ITEMS
    caption = "What is not right, or scores least, stands first"
    caption += f"; {left_out} more are left out" if left_out > 0 else ""
    numeric = (len(headings) - 1,) if has_scores else ()
    yield table(headings, rows, caption=caption, numeric=numeric)
    for item in [item for item in items if item.answer][:MOST_ANSWERS]:
        answer = preformatted(said(item.answer, MOST_ANSWER))
        yield folded(f"Answer to {shortened(item.id)}: {shortened(item.prediction, 200)}", answer)


def _order(item: EvaluatedItem) -> tuple[bool, bool, float]:
    return not item.error, bool(item.is_right), 0.0 if item.score is None else item.score


def _prediction(item: EvaluatedItem) -> Markup:
    if item.error:
        return marked(said(item.error, MOST_ERROR), "bad")
    kind = {True: "good", False: "bad", None: ""}[item.is_right]
    shown = named(item.prediction)
    return Markup(f'<span class="{kind}">{shown}</span>') if kind else shown
