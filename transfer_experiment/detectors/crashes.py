"""Crash and recovery: an agent that could, then could not for a while, then could again.

After a first score above 0.4: at least two consecutive generations with a score of at most 0.01,
then one above 0.4. A missing score counts as 0; a score in between ends the streak. Scores are
validation scores. Source: docs/reference/analysis.md.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from reporting.lines import score
from runs.records import RunAgent
from transfer_experiment.findings import AgentFindings, Finding, FindingKind, in_agent
from transfer_experiment.findings.telling import as_events

ABLE: Final = 0.4
CRASHED: Final = 0.01
SHORTEST: Final = 2
CRASHES: Final = FindingKind(
    name="crashes",
    title="crashes and recoveries",
    order=10,
    section="events",
    table="own",
    label="crashes and recoveries",
    columns=("agent", "generation", "length", "recovered", "score_before", "score_after"),
    needs=(),
    tell=as_events,
)


class ScoredGeneration(NamedTuple):
    """A generation's number and its score; None if it has none."""

    generation: int
    score: float | None


@in_agent(CRASHES)
def crashes(agent: RunAgent, _so_far: AgentFindings) -> Iterator[Finding]:
    """Find the crashes of an agent that it recovered from, in order."""
    scores = (ScoredGeneration(turn.generation, turn.val) for turn in agent.generations)
    return find_crashes(agent.name, scores)


def find_crashes(agent: str, scores: Iterable[ScoredGeneration]) -> Iterator[Finding]:
    """Find crashes in a sequence of scores."""
    streak: list[ScoredGeneration] = []
    was_able, before = False, None
    for now in scores:
        val = now.score or 0.0
        if was_able and val <= CRASHED:
            streak.append(now)
            continue
        if val > ABLE:
            was_able = True
            if len(streak) >= SHORTEST:
                yield CRASHES.finding(
                    agent,
                    streak[0].generation,
                    text=f"fell from {score(before)} for {len(streak)} generations, "
                    f"recovered in generation {now.generation} with {score(now.score)}",
                    length=len(streak),
                    recovered=now.generation,
                    score_before=before,
                    score_after=now.score,
                )
        streak, before = [], now.score
