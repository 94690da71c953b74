"""Code as part of a page: whose each line was first, and what changed between two texts.

Colours are those of agents, by their place in the run; words beside them say the same.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from hyperspace.reporting.lines import counted
from hyperspace.reporting.page import Markup, escaped, folded, joined, note, paragraph
from hyperspace.reporting.text_changes import ChangedLine, TextChanges
from transfer_experiment.adoption.provenance import LineSource, SourceLine

MOST_CODE_LINES: Final = 5_000
MOST_CHARACTERS: Final = 2_000  # of one line
CONTEXT: Final = 3  # unchanged lines around changes
Address = Callable[[LineSource], str]
"""Returns the address of where a line was first."""


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
) -> Markup:
    """Return what the colours of code mean, with counts of lines."""
    counts = provenance_counts(lines)
    whole = sum(count for _, count in counts)
    rows = [
        f'<li><span class="swatch {_class(source, names, agent)}"></span>'
        f'<a href="{escaped(address(source))}">{escaped(_explained(source))}</a>'
        f" {escaped(counted(count, 'line'))} ({100 * count / whole:.0f}%)</li>\n"
        for source, count in counts
    ]
    return Markup(f'<ul class="legend">\n{"".join(rows)}</ul>\n') if rows else Markup("")


def _explained(source: LineSource) -> str:
    if source.kind == "peer":
        return f"{source.peer} generation {source.peer_generation}, taken in {source.since}"
    return "the seed" if source.kind == "seed" else f"own, since generation {source.since}"


def code_table(
    lines: Sequence[SourceLine], names: Sequence[str], agent: str, address: Address
) -> Markup:
    """Return code with line numbers, and in its margin where each line was first.

    Args:
        lines: The code.
        names: All agents of the run, in order.
        agent: Whose code it is.
        address: Where a line was first.
    """
    rows: list[str] = []
    before: LineSource | None = None
    kind = ""
    for number, (text, source) in enumerate(lines[:MOST_CODE_LINES], 1):
        told = Markup("")
        if source is not None:
            kind = _class(source, names, agent)
            if source != before:
                told = Markup(
                    f'<a href="{escaped(address(source))}">{escaped(told_source(source))}</a>'
                )
            before = source
        rows.append(
            f'<tr id="L{number}" class="{kind}"><td class="origin">{told}</td>'
            f'<td class="line"><a href="#L{number}">{number}</a></td>'
            f'<td class="text">{escaped(text, MOST_CHARACTERS)}</td></tr>\n'
        )
    table = _code("code", "".join(rows), "code with where each line was first")
    left_out = len(lines) - MOST_CODE_LINES
    return joined((table, note(f"{left_out} more lines are left out."))) if left_out > 0 else table


def _class(source: LineSource, names: Sequence[str], agent: str) -> str:
    if source.kind == "seed":
        return "seed"
    if source.kind == "own":
        return f"own {colour_of(names, agent)}"
    return f"peer {colour_of(names, source.peer)}"


def changes_parts(changes: TextChanges) -> Iterator[Markup]:
    """Return what changed between two texts; unchanged lines further away are folded."""
    yield paragraph(_counted_changes(changes))
    if not (changes.added or changes.removed):
        return
    for is_near, group in groupby(_near(changes.lines), key=lambda row: row[0]):
        lines = [line for _, line in group]
        rows = _code("diff", "".join(map(_changed_row, lines)), "changed lines")
        yield (
            rows
            if is_near or len(lines) <= CONTEXT
            else folded(f"{counted(len(lines), 'unchanged line')}", rows)
        )


def _counted_changes(changes: TextChanges) -> str:
    if not (changes.added or changes.removed):
        told = "No line differs."
    else:
        told = f"{counted(changes.added, 'line')} added, {changes.removed} removed."
    if changes.left_out:
        told += f" {changes.left_out} lines further down are not compared."
    if changes.is_coarse:
        told += " The texts are long and differ much: equal lines may be shown as changed."
    return told


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


def _changed_row(line: ChangedLine) -> str:
    sign = {"same": "", "removed": "-", "added": "+"}[line.kind]
    text = "".join(
        f"<mark>{escaped(piece.text)}</mark>" if piece.is_changed else escaped(piece.text)
        for piece in line.pieces
    )
    return (
        f'<tr class="{line.kind}"><td class="line">{line.before or ""}</td>'
        f'<td class="line">{line.after or ""}</td><td class="sign">{sign}</td>'
        f'<td class="text">{text}</td></tr>\n'
    )


def _code(kind: str, rows: str, label: str) -> Markup:
    return Markup(
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">\n'
        f'<table class="source {kind}"><tbody>\n{rows}</tbody></table>\n</div>\n'
    )
