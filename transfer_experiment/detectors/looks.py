"""Looks into strategies/, and their absence: neglect.

Definition (docs/reference/detectors.md): an agent *looked* in a generation if a tool call lists,
views, compares, searches or copies something in strategies/. It *neglects* its peers if it looked
in some generation and then not for 3 or more consecutive ones. A generation without a readable
trace ends such a streak, because nobody knows.
"""

from collections.abc import Iterable
from typing import Final

from transfer_experiment.detectors.records import Look, Neglect
from transfer_experiment.turns.tool_calls import STRATEGIES, Act, Acts

LONGEST_PAUSE: Final = 2
_MOST_EVIDENCE: Final = 5


def look(agent: str, done: Acts) -> Look | None:
    """The look into strategies/ of one generation; None if there was none."""
    found = [act for act in done.acts if _looks(done, act)]
    if not found:
        return None
    evidence = tuple(act.evidence() for act in found[:_MOST_EVIDENCE])
    return Look(agent, done.generation, evidence)


def _looks(done: Acts, act: Act) -> bool:
    return any(
        (access.way != "write" and done.below(access.path, STRATEGIES))
        or (access.way == "search" and access.path == done.root)
        for access in act.reach.accesses
    )


def neglects(agent: str, turns: Iterable[tuple[int, bool, Look | None]]) -> list[Neglect]:
    """Find the streaks without a look.

    Args:
        agent: Whose turns.
        turns: For each generation in order: its number, whether its trace can be read, its look.
    """
    found: list[Neglect] = []
    last: Look | None = None
    streak: list[int] = []
    for generation, is_known, seen in [*turns, (-1, False, None)]:
        if is_known and seen is None:
            streak.append(generation)
            continue
        if last is not None and len(streak) > LONGEST_PAUSE:
            found.append(Neglect(agent, last.generation, streak[0], streak[-1], last.evidence))
        last, streak = seen, []
    return found
