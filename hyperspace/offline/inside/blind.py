"""Stands in for labels where a task has neither labels nor a scorer: what changes an answer counts.

A helper: it stands right before a program in the text that is sent, after all other helpers, and
gives the names of `judging` and `bench` that the program uses another meaning. Nothing here knows
which variant is better. A variant is as good as the start if it answers in text where that does,
and in other words; a start that only plays episodes answers nothing here. So a search ends with one
of those, drawn at random, and the validation score of the generation tells what it was worth. A
generation costs far more than a change, so a variant has more than one.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperspace.offline.inside.bench import FAILED, WRONG, Bounded, TooLong, answer, load
    from hyperspace.offline.inside.judging import Judged

AGAIN = 0.6  # in place of that of `variation`: share of changes that are not the last of a variant
MOST_ASKED = 4  # items


class BlindJudge:
    """Tells variants that answer otherwise from those that fail or change nothing."""

    def __init__(self, items: list[dict[str, Any]]) -> None:
        self.items = items[:MOST_ASKED]
        self.first: list[object] | None = None

    def measure(self, source: str, _near: Judged | None = None) -> Judged:
        """Measure a source; the first is the start of a search, and costs nothing."""
        given = self.answers(source)
        if self.first is None:
            silent: list[object] = [None for _ in self.items]
            self.first = given or silent
            return Judged(0.0, source)
        if not given:
            return Judged(FAILED, source)
        pairs = zip(self.first, given, strict=True)
        texts = [(old, new) for old, new in pairs if isinstance(old, str)]
        if any(not isinstance(new, str) for _, new in texts):
            return Judged(FAILED, source)
        is_other = not texts or any(old != new for old, new in texts)
        return Judged(0.0 if is_other else WRONG, source)

    def answers(self, source: str) -> list[object]:
        """What a source answers, None for an item where it fails; nothing if it does not load."""
        loaded = load(source)
        try:
            return [answer(loaded.agent, item, Bounded()) for item in self.items if loaded]
        except TooLong:
            return []


def no_labels(_items: list[dict[str, Any]]) -> tuple[str, ...]:
    """The labels of such items: there are none."""
    return ()


def all_items(_source: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that a judge is given: it chooses by itself."""
    return items


Judge, labels_of, affordable = BlindJudge, no_labels, all_items
