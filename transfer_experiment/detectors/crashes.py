"""Crash and recovery: an agent that could, then could not for a while, then could again.

After a first score above 0.4: at least two consecutive generations with a score of at most 0.01,
then one above 0.4. A missing score counts as 0; a score in between ends the streak. Scores are
validation scores. Source: docs/reference/analysis.md.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from runs.records import AgentRead

ABLE: Final = 0.4
CRASHED: Final = 0.01
SHORTEST: Final = 2


class Scored(msgspec.Struct, frozen=True):
    """A generation's number and its score; None if it has none."""

    generation: int
    score: float | None


class Crash(msgspec.Struct, frozen=True):
    """A crash that an agent recovered from.

    Attributes:
        agent: Whose.
        generation: The first generation of the streak.
        length: How many consecutive generations it took.
        recovered: The generation that scored again.
        score_before: The score of the last generation before the streak.
        score_after: The score of the one that recovered.
    """

    agent: str
    generation: int
    length: int
    recovered: int
    score_before: float | None
    score_after: float


def crashes_of(agent: AgentRead) -> list[Crash]:
    """Find the crashes of an agent, in order."""
    return find_crashes(agent.name, (Scored(turn.generation, turn.val) for turn in agent.turns))


def find_crashes(agent: str, scores: Iterable[Scored]) -> list[Crash]:
    """Find crashes in a sequence of scores."""
    found: list[Crash] = []
    streak: list[Scored] = []
    was_able, before = False, None
    for now in scores:
        score = now.score or 0.0
        if was_able and score <= CRASHED:
            streak.append(now)
            continue
        if score > ABLE:
            was_able = True
            if len(streak) >= SHORTEST:
                first = streak[0].generation
                found.append(Crash(agent, first, len(streak), now.generation, before, score))
        streak, before = [], now.score
    return found
