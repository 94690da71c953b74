"""Looks into strategies/, and their absence: neglect.

Definition (docs/reference/detectors.md): an agent *looked* in a generation if something in
strategies/ was observed to be opened or listed; where nothing was observed (published runs), if a
tool call names strategies/, which is a hint and no more. It *neglects* its peers if it looked
in some generation and then not for 3 or more consecutive ones. A generation without a readable
trace ends such a streak, because nobody knows.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from hyperspace.runs.records import RunAgent
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
    history = turn.facts.history
    if history.has_accesses:
        looked = (history.evidence(used) for used in history.looks("strategies"))
    else:
        named = (call for call in turn.calls if "strategies" in call.named)
        looked = (msgspec.structs.replace(call.evidence(), rank="claimed") for call in named)
    if evidence := tuple(dict.fromkeys(looked))[:_MOST_EVIDENCE]:
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
