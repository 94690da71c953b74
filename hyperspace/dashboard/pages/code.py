"""Code as part of a page: whose each line was first, and what changed between two texts.

Colours are those of agents, by their place in the run; words beside them say the same.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from hyperspace.reporting.text_changes import ChangedLine, TextChanges
from transfer_experiment.adoption.provenance import LineSource, SourceLine

MOST_CODE_LINES: Final = 5_000
CONTEXT: Final = 3  # unchanged lines around changes
Address = Callable[[LineSource], str]
"""Returns the address of where a line was first."""


class CodeSource(NamedTuple):
    """Where lines of a code were first, in a legend.

    Attributes:
        kind: Class of the colour.
        address: Where it is.
        told: It, in words.
        lines: How many lines.
        percent: Of all lines.
    """

    kind: str
    address: str
    told: str
    lines: int
    percent: float


class CodeLine(NamedTuple):
    """A line of code.

    Attributes:
        text: The line.
        kind: Class of the colour of where it was first; empty while that is not known.
        origin: Where it was first, in a few words; empty where the line before tells it.
        address: Where that is.
    """

    text: str
    kind: str
    origin: str = ""
    address: str = ""


class ChangeGroup(NamedTuple):
    """Lines of two texts; those that are far from any change are folded."""

    is_folded: bool
    lines: list[ChangedLine]


def colour_of(names: Sequence[str], agent: str) -> str:
    """Return the class of an agent's colour.

    Args:
        names: All agents of the run, in order.
        agent: Which.
    """
    return f"series-{(names.index(agent) if agent in names else 7) % 8}"


def told_source(source: LineSource) -> str:
    """Return where a line was first, in a few words."""
    if source.kind == "peer":
        return f"{source.peer} {source.peer_generation}"
    return "seed" if source.kind == "seed" else f"own {source.since}"


def provenance_counts(lines: Iterable[SourceLine]) -> list[tuple[LineSource, int]]:
    """Count lines by where they were first: the seed's, the agent's own, then each strategy's."""
    counts = Counter(line.source for line in lines if line.source is not None)
    order = {"seed": 0, "own": 1, "peer": 2}
    return sorted(counts.items(), key=lambda row: (order[row[0].kind], row[0]))


def legend(
    lines: Sequence[SourceLine], names: Sequence[str], agent: str, address: Address
) -> list[CodeSource]:
    """Return what the colours of code mean, with counts of lines."""
    counts = provenance_counts(lines)
    whole = sum(count for _, count in counts)
    return [
        CodeSource(
            _class(source, names, agent),
            address(source),
            _explained(source),
            count,
            100 * count / whole,
        )
        for source, count in counts
    ]


def _explained(source: LineSource) -> str:
    if source.kind == "peer":
        return f"{source.peer} generation {source.peer_generation}, taken in {source.since}"
    return "the seed" if source.kind == "seed" else f"own, since generation {source.since}"


def code_lines(
    lines: Sequence[SourceLine], names: Sequence[str], agent: str, address: Address
) -> Iterator[CodeLine]:
    """Yield the first lines of a code, each with where it was first.

    Args:
        lines: The code.
        names: All agents of the run, in order.
        agent: Whose code it is.
        address: Where a line was first.
    """
    before: LineSource | None = None
    kind = ""
    for text, source in lines[:MOST_CODE_LINES]:
        if source is None or source == before:
            yield CodeLine(text, kind)
        else:
            kind = _class(source, names, agent)
            yield CodeLine(text, kind, told_source(source), address(source))
            before = source


def _class(source: LineSource, names: Sequence[str], agent: str) -> str:
    if source.kind == "seed":
        return "seed"
    if source.kind == "own":
        return f"own {colour_of(names, agent)}"
    return f"peer {colour_of(names, source.peer)}"


def change_groups(changes: TextChanges) -> Iterator[ChangeGroup]:
    """Yield the lines of two texts; nothing where none differs."""
    if not (changes.added or changes.removed):
        return
    for is_near, group in groupby(_near(changes.lines), key=lambda row: row[0]):
        lines = [line for _, line in group]
        yield ChangeGroup(not is_near and len(lines) > CONTEXT, lines)


def _near(lines: Sequence[ChangedLine]) -> Iterator[tuple[bool, ChangedLine]]:
    """Tell of each line whether it is shown: it changed, stands near one that did, or between."""
    changed = [at for at, line in enumerate(lines) if line.kind != "same"]
    near = {
        at + beside
        for first, last in _runs(changed)
        for at in (first, last)
        for beside in range(-CONTEXT, CONTEXT + 1)
    }
    near.update(changed)
    for first, last in list(_runs([at for at in range(len(lines)) if at not in near])):
        if last - first < CONTEXT:
            near.update(range(first, last + 1))
    for at, line in enumerate(lines):
        yield at in near, line


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return the first and the last of numbers that follow each other."""
    for _, group in groupby(enumerate(numbers), key=lambda row: row[1] - row[0]):
        run = [number for _, number in group]
        yield run[0], run[-1]
