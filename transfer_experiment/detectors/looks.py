"""Looks into strategies/, and their absence: neglect.

Definition (docs/reference/detectors.md): an agent *looked* in a generation if a tool call lists,
views, compares, searches or copies something in strategies/. It *neglects* its peers if it looked
in some generation and then not for 3 or more consecutive ones. A generation without a readable
trace ends such a streak, because nobody knows.
"""

from collections.abc import Iterator
from typing import Final

from runs.records import RunAgent
from transfer_experiment.findings import (
    AgentFindings,
    Finding,
    FindingKind,
    Measure,
    Turn,
    in_agent,
    in_turn,
)
from transfer_experiment.findings.telling import one_by_one

LONGEST_PAUSE: Final = 2
_MOST_EVIDENCE: Final = 5
LOOKS: Final = FindingKind(
    name="looks",
    title="looked into strategies/",
    order=60,
    columns=("agent", "generation", "evidence"),
)
NEGLECTS: Final = FindingKind(
    name="neglects",
    title="neglected its peers",
    order=50,
    table="own",
    columns=("agent", "last_look", "first", "last", "evidence"),
    tell=one_by_one,
    measure=Measure("neglect"),
)


@in_turn(LOOKS)
def looks(turn: Turn) -> Iterator[Finding]:
    """Find the looks into strategies/ of one generation, as one finding."""
    calls = [
        call
        for call in turn.calls
        if any(
            (access.way != "write" and turn.tools.below(access.path, "strategies"))
            or (access.way == "search" and access.path == turn.tools.root)
            for access in call.accesses.files
        )
    ]
    if calls:
        evidence = (call.evidence() for call in calls[:_MOST_EVIDENCE])
        yield LOOKS.finding(turn.agent, turn.generation, evidence)


@in_agent(NEGLECTS)
def neglects(agent: RunAgent, so_far: AgentFindings) -> Iterator[Finding]:
    """Find the streaks without a look."""
    by_generation = {f.generation: f for f in so_far.findings if f.kind == LOOKS.name}
    last: Finding | None = None
    streak: list[int] = []
    for generation in [*(turn.generation for turn in agent.generations), None]:
        look = None if generation is None else by_generation.get(generation)
        if generation is not None and look is None and generation not in so_far.unread:
            streak.append(generation)
            continue
        if last is not None and len(streak) > LONGEST_PAUSE:
            yield NEGLECTS.finding(
                agent.name,
                streak[0],
                last.evidence,
                f"neglected its peers in generations {streak[0]}-{streak[-1]}; "
                f"it had looked last in {last.generation}",
                last_look=last.generation,
                first=streak[0],
                last=streak[-1],
            )
        last, streak = look, []
