"""What an agent's code tells from one generation to the next: stuck, meta edits, size.

Definitions (docs/reference/detectors.md): *stuck* is a task_agent.py equal to the previous
generation's; a *meta edit* a meta_agent.py that is not. The *size trajectory* counts steps from one
generation of known size to the next, in bytes: `bloat` if over 70% of them grow, `shrink` if over
70% shrink, `flat` if over half change nothing.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from hyperspace.runs.files import META
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

META_EDITS: Final = FindingKind(
    name="meta_edits",
    title="edited meta_agent.py",
    order=110,
    columns=("agent", "generation", "bytes_before", "bytes_after", "evidence"),
    needs=("code",),
)
STUCK: Final = FindingKind(
    name="stuck",
    title="left task_agent.py as it was",
    order=130,
    columns=("agent", "generation", "evidence"),
    needs=("code",),
    measure=Measure("stuck"),
)
SIZES: Final = FindingKind(
    name="sizes",
    title="size of task_agent.py",
    order=150,
    table="none",
    columns=("agent", "trajectory", "steps", "grew", "shrank", "first_bytes", "last_bytes"),
    needs=("code",),
    tell=one_by_one,
    measure=Measure("bloat", lambda f: [(f.agent,)] if f.details["trajectory"] == "bloat" else []),
)


@in_turn(STUCK)
def stuck(turn: Turn) -> Iterator[Finding]:
    """Find out if the task agent is what it was one generation before."""
    if is_stuck(turn):
        yield STUCK.finding(turn.agent, turn.generation, turn.tools.closing_words())


def is_stuck(turn: Turn) -> bool:
    """Return True if the task agent is what it was one generation before."""
    text = turn.code.text
    return turn.before is not None and text is not None and text == turn.before.text


@in_turn(META_EDITS)
def meta_edits(turn: Turn) -> Iterator[Finding]:
    """Find out if the meta agent is another one than one generation before."""
    before, after = turn.before and turn.before.meta, turn.code.meta
    if before is None or after is None or before == after:
        return
    history = turn.facts.history
    evidence = [history.evidence(used) for used in history.writes(META)] or [
        call.evidence() for call in turn.calls if META in call.named
    ]
    sizes = len(before.encode()), len(after.encode())
    yield META_EDITS.finding(
        turn.agent,
        turn.generation,
        evidence,
        "edited meta_agent.py ({} to {} bytes)".format(*sizes),
        bytes_before=sizes[0],
        bytes_after=sizes[1],
    )


@in_agent(SIZES)
def sizes(agent: RunAgent, so_far: AgentFindings) -> Iterator[Finding]:
    """Find which way the size of an agent's task_agent.py went; nothing if there is no step."""
    if len(so_far.task_bytes) > 1:
        yield trajectory(agent.name, so_far.task_bytes)


def trajectory(agent: str, task_bytes: Sequence[int]) -> Finding:
    """Name the way that at least two sizes went."""
    changes = [later - earlier for earlier, later in pairwise(task_bytes)]
    grew = sum(change > 0 for change in changes)
    shrank = sum(change < 0 for change in changes)
    steps = len(changes)
    name = "flat" if 2 * (steps - grew - shrank) > steps else "mixed"
    if 10 * max(grew, shrank) > 7 * steps:  # whole numbers: 7 of 10 steps are not over 70%
        name = "bloat" if grew > shrank else "shrink"
    first, last = task_bytes[0], task_bytes[-1]
    return SIZES.finding(
        agent,
        0,
        text=f"size {name} ({first} to {last} bytes; "
        f"{grew} of {steps} steps grew, {shrank} shrank)",
        trajectory=name,
        steps=steps,
        grew=grew,
        shrank=shrank,
        first_bytes=first,
        last_bytes=last,
    )
