"""Crash and recovery: an agent that could, then could not for a while, then could again.

After a first score above 0.4: at least two consecutive generations with a score of at most 0.01,
then one above 0.4. A missing score counts as 0; a score in between ends the streak. Scores are
those that the run ranks by: the fitness, else the validation score. Source:
docs/reference/analysis.md.
"""

from collections.abc import Iterator
from typing import Final

from hyperspace.reporting.lines import score
from hyperspace.runs.records import Generation, RunAgent
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


@in_agent(CRASHES)
def crashes(agent: RunAgent, _so_far: AgentFindings) -> Iterator[Finding]:
    """Find the crashes of an agent that it recovered from, in order."""
    streak: list[Generation] = []
    was_able, before = False, None
    for now in agent.generations:
        rank = now.rank or 0.0
        if was_able and rank <= CRASHED:
            streak.append(now)
            continue
        if rank > ABLE:
            was_able = True
            if len(streak) >= SHORTEST:
                yield CRASHES.finding(
                    agent.name,
                    streak[0].generation,
                    text=f"fell from {score(before)} for {len(streak)} generations, "
                    f"recovered in generation {now.generation} with {score(now.val)}",
                    length=len(streak),
                    recovered=now.generation,
                    score_before=before,
                    score_after=now.val,
                )
        streak, before = [], now.val
