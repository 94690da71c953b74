"""The archive as a tree: whose code each generation started from, as text and for drawing."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hyperspace.reporting.figures import Node
from hyperspace.reporting.lines import counted
from hyperspace.runs.records import Generation, Run, RunAgent
from replication.report.records import Arm

_MOST_STEPS = 12


class Shape(NamedTuple):
    """Sizes that describe an archive.

    Attributes:
        generations: How many there are.
        parents: How many of them were built upon.
        deepest: Steps from generation 0 to the furthest descendant.
    """

    generations: int
    parents: int
    deepest: int


def best_run(arm: Arm) -> Run:
    """Return the run whose best generation ranks highest, that of the lowest seed of equals."""
    return max(arm.runs, key=lambda run: -1.0 if run.best_rank is None else run.best_rank)


def origins(generations: Sequence[Generation]) -> dict[int, int | None]:
    """Map each generation to the earlier one that it started from, if that one is known."""
    above: dict[int, int | None] = {}
    for row in generations:  # ascending, so an origin that is not there yet is unknown
        above[row.generation] = row.origin if row.origin in above else None
    return above


def knows_parents(agent: RunAgent) -> bool:
    """Return whether the source says which generation came from which."""
    return any(row.origin is not None for row in agent.generations)


def shape_of(agent: RunAgent) -> Shape:
    """Measure an archive."""
    depth: dict[int, int] = {}
    above = origins(agent.generations)
    for at in sorted(above):  # parents come before their children
        parent = above[at]
        depth[at] = 0 if parent is None else depth[parent] + 1
    parents = {parent for parent in above.values() if parent is not None}
    return Shape(len(above), len(parents), max(depth.values(), default=0))


def lineage(agent: RunAgent, at: int) -> list[Generation]:
    """Return a generation and its ancestors, the oldest first."""
    by_number = {row.generation: row for row in agent.generations}
    above = origins(agent.generations)
    line: list[Generation] = []
    step: int | None = at
    while step is not None:
        line.append(by_number[step])
        step = above[step]
    return line[::-1]


def lineage_text(agent: RunAgent) -> str:
    """Return the best generation's descent on one line; long ones are cut in the middle."""
    best = agent.best
    if best is None or not knows_parents(agent):
        return ""
    steps = [
        f"{row.generation} {'invalid' if row.val is None else f'{row.val:.3f}'}"
        for row in lineage(agent, best.generation)
    ]
    if len(steps) > _MOST_STEPS:
        half = _MOST_STEPS // 2
        steps = [*steps[:half], f"({len(steps) - 2 * half} more)", *steps[-half:]]
    return " > ".join(steps)


def layout(agent: RunAgent) -> list[Node]:
    """Place generations for drawing: across by number, each branch on a height of its own.

    A first child stays on its parent's height; every other one opens a new one below.
    """
    above = origins(agent.generations)
    heights = _heights(above)
    index = {at: position for position, at in enumerate(above)}
    best = agent.best
    return [
        Node(
            x=row.generation,
            y=-float(heights[row.generation]),
            parent=None if (origin := above[row.generation]) is None else index[origin],
            value=row.val if row.valid else None,
            marked=best is not None and row.generation == best.generation,
        )
        for row in agent.generations
    ]


def _heights(above: dict[int, int | None]) -> dict[int, int]:
    children: dict[int | None, list[int]] = {}
    for at, parent in above.items():
        children.setdefault(parent, []).append(at)
    heights: dict[int, int] = {}
    free = 0
    waiting: list[tuple[int, int | None]] = [(at, None) for at in reversed(children.get(None, []))]
    while waiting:
        at, height = waiting.pop()
        if height is None:
            height, free = free, free + 1
        heights[at] = height
        below = children.get(at, [])
        waiting.extend((child, None) for child in reversed(below[1:]))
        waiting.extend((child, height) for child in below[:1])
    return heights


def branches(agent: RunAgent) -> Iterator[str]:
    """Describe an archive in two sentences."""
    if not knows_parents(agent):
        yield "which generation came from which is not in the source"
        return
    shape = shape_of(agent)
    yield (
        f"{counted(shape.generations, 'generation')}, {shape.parents} of them "
        f"{'was' if shape.parents == 1 else 'were'} built upon, deepest line "
        f"{counted(shape.deepest, 'step')}"
    )
    if line := lineage_text(agent):
        yield f"descent of the best: {line}"
