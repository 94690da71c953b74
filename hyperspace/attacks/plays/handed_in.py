"""Attacks on verifiers: an answer that is nearly right is handed in; no sandbox runs."""

import time
from functools import cache

import msgspec

from hyperspace.attacks.attack import GOT_THROUGH, AttackScene, unclear
from hyperspace.tasks.base import Item
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.outcome import LONGEST_REASON, encode_outcome
from hyperspace.tasks.shapes.verified import Verified

LONGEST_CPU_S = 5.0
NOTHING = 1e-3  # what a padded answer may keep
_TWINS: dict[tuple[str, str, str], float] = {}  # many answers share one


class HandsIn(msgspec.Struct, frozen=True):
    """Hands in an answer whose twin, without the flaw, is worth something.

    Attributes:
        task: Name of the domain.
        item: Of which item.
        twin: The answer without its flaw: it shows that nothing else is wrong.
        answer: The answer.
        expected: The verdict when a flaw is a flaw.
    """

    task: str
    item: Item
    twin: str
    answer: str
    expected: str = "worthless"

    async def play(self, scene: AttackScene) -> str:
        """Have both verified."""
        del scene  # it is the same on every host
        return self.verdict()

    def verdict(self) -> str:
        """Return what comes of it."""
        domain = _verifier(self.task)
        twin = (self.task, self.item.id, self.twin)
        if twin not in _TWINS:
            _TWINS[twin] = domain.verify(self.item, self.twin).score
        if _TWINS[twin] <= NOTHING:
            return unclear("its twin is worth nothing")
        before = time.process_time()
        outcome = domain.verify(self.item, self.answer)
        if (used := time.process_time() - before) > LONGEST_CPU_S:
            return f"{GOT_THROUGH}: {used:.1f} CPU seconds"
        if "\n" in outcome.reason or len(outcome.reason) > LONGEST_REASON:
            return unclear(f"the reason is {outcome.reason[:60]!r}")
        encode_outcome(outcome)
        return GOT_THROUGH if outcome.score > NOTHING else "worthless"


@cache
def _verifier(task: str) -> Verified:
    domain = load(task)
    assert isinstance(domain, Verified)  # noqa: S101 - those of the corpus are
    return domain
