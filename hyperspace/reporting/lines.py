"""Plain text for terminals and pipes: aligned columns, wrapped sentences, nothing that steers."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from guards.scope.changes import printable

WIDTH = 100
_GAP = "  "


def columns(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int] = (0,)
) -> Iterator[str]:
    """Align cells under their headings.

    Args:
        headings: One for each column.
        rows: Cells; what could steer a terminal is escaped.
        left: Columns from 0 that are aligned to the left.
    """
    table = [[printable(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    kept_left = frozenset(left)
    for row in table:
        cells = (
            cell.ljust(width) if at in kept_left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"    {_GAP.join(cells)}".rstrip()


def wrapped(sentence: str, indent: str = "    ", *, hang: str = "") -> Iterator[str]:
    """Break a sentence into lines; what could steer a terminal is escaped."""
    yield from textwrap.wrap(
        printable(sentence),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def score(value: float | None, digits: int = 3) -> str:
    """A score, or a p with four digits, or a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def share(value: float | None) -> str:
    """A share in percent, or a dash where it is not known."""
    return "-" if value is None else f"{100 * value:.1f}%"


def signed(value: float | None, digits: int = 3) -> str:
    """A difference or an effect with its sign, or a dash where there is none."""
    return "-" if value is None else f"{value:+.{digits}f}"


def counted(number: int, noun: str) -> str:
    """A number of things: `1 pair`, `1,200 pairs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """Things by their numbers: `seed 1`, `seeds 1, 2`."""
    return f"{noun}{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"


def amount(value: float | None) -> str:
    """A number that may be large, or a dash where it is not known."""
    return "-" if value is None else f"{value:,.6g}" if value % 1 else f"{value:,.0f}"


def interval(low: float | None, high: float | None) -> str:
    """Both ends, or a dash where there is no interval."""
    return "-" if low is None or high is None else f"{low:.3f} to {high:.3f}"
