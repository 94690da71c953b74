"""What an agent's code alone tells from one generation to the next: stuck, meta edits, size.

Definitions (docs/reference/detectors.md): *stuck* is a task_agent.py equal to the previous
generation's. The *size trajectory* counts steps from one generation of known size to the next, in
bytes: `bloat` if over 70% of them grow, `shrink` if over 70% shrink, `flat` if over half change
nothing.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from transfer_experiment.detectors.records import MetaEdit, SizeTrajectory, Stuck, Trajectory
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.tool_calls import Acts

_QUOTE_CHARACTERS: Final = 200


def stuck(agent: str, done: Acts, text: str | None, before: str | None) -> Stuck | None:
    """Tell whether the task agent is what it was one generation before."""
    if text is None or text != before:
        return None
    return Stuck(agent, done.generation, closing_words(done))


def closing_words(done: Acts) -> tuple[Evidence, ...]:
    """The end of a generation's last reply: what a model says of itself is a claim."""
    if done.last is None or not done.last.response:
        return ()
    quote = done.last.response[-_QUOTE_CHARACTERS:]
    return (Evidence(done.last.file, done.last.line, quote, "claimed"),)


def meta_edit(agent: str, done: Acts, text: str | None, before: str | None) -> MetaEdit | None:
    """Tell whether the meta agent is another one than one generation before."""
    if text is None or before is None or text == before:
        return None
    writing = [
        act.evidence()
        for act in done.acts
        if any(a.way == "write" and a.path.endswith("meta_agent.py") for a in act.reach.accesses)
    ]
    sizes = len(before.encode()), len(text.encode())
    return MetaEdit(agent, done.generation, *sizes, tuple(writing))


def trajectory(agent: str, sizes: Sequence[int]) -> SizeTrajectory | None:
    """Name the way that sizes went; None if there is no step."""
    if len(sizes) < 2:
        return None
    changes = [later - earlier for earlier, later in pairwise(sizes)]
    grew = sum(change > 0 for change in changes)
    shrank = sum(change < 0 for change in changes)
    name = _name(len(changes), grew, shrank)
    return SizeTrajectory(agent, name, len(changes), grew, shrank, sizes[0], sizes[-1])


def _name(steps: int, grew: int, shrank: int) -> Trajectory:
    if 10 * grew > 7 * steps:  # whole numbers: 7 of 10 steps are not over 70%
        return "bloat"
    if 10 * shrank > 7 * steps:
        return "shrink"
    return "flat" if 2 * (steps - grew - shrank) > steps else "mixed"
