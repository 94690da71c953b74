"""What is on record of a turn beside its tool calls: its history, and what was said."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from hyperspace.runs.records import Generation
from hyperspace.runs.trace import TraceLine
from transfer_experiment.turns.evidence import MOST_CLAIMS, Evidence, claims, sentences
from transfer_experiment.turns.history import TurnHistory
from transfer_experiment.turns.steps import TraceSteps

if TYPE_CHECKING:
    from hyperspace.kernel.generation.observing.accesses import Accesses


class TurnFacts(msgspec.Struct, frozen=True):
    """Facts of a turn.

    Attributes:
        problem: Why its trace tells nothing; empty if it does.
        calls: Model calls; None if the trace cannot be read whole.
        damaged: How many lines cannot be read.
        claims: For each strategy folder in sight, what was said of it.
        closing: The sentences of the meta agent's last reply, whole, if that asked for no tool.
        history: What was shown, typed, opened and written, step by step.
    """

    problem: str
    calls: int | None
    damaged: int
    claims: dict[str, tuple[Evidence, ...]]
    closing: tuple[Evidence, ...]
    history: TurnHistory


def facts_of(turn: Generation, trace: TraceSteps) -> TurnFacts:
    """Gather what is on record of a turn; its trace tells nothing if it has a problem."""
    problem = trace.problem
    steps = () if problem else trace.steps
    damaged, calls = (0, 0) if problem else (trace.damaged, trace.calls)
    is_first = turn.generation == 0 and turn.trace.path is not None
    closing = steps[-1] if steps and not steps[-1].tools else None
    return TurnFacts(
        problem=problem,
        calls=calls if (is_first or not problem) and not damaged else None,
        damaged=damaged,
        claims={seen.folder: tuple(_claims(steps, seen.folder, seen.peer)) for seen in turn.seen},
        closing=tuple(
            Evidence(closing.file, closing.line, text, "claimed")
            for text in sentences(closing.response)
        )
        if closing
        else (),
        history=TurnHistory(trace, _accesses(turn), turn.trace.name.rpartition("/")[0]),
    )


def _accesses(turn: Generation) -> "Accesses | None":
    if turn.records is None:
        return None
    from hyperspace.kernel.generation.observing.accesses import (
        read_accesses,  # with all that observes a sandbox
    )

    return read_accesses(turn.records)


def _claims(steps: Sequence[TraceLine], folder: str, peer: str) -> Iterator[Evidence]:
    """Find the first sentences that name a strategy or its peer."""
    return islice((claim for line in steps for claim in claims(line, folder, peer)), MOST_CLAIMS)
