"""The one way to the terminal: nothing that a record, an agent or a model said can steer it.

`guard` stands before standard output and standard error, whatever is printed by whom; tables go
past it, because styles are control characters too, on a console that escapes what is put into them.
"""

import json
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH: Final = 120
_apart: Final[list[TextIO]] = []


def escaped(text: str) -> str:
    """Escape all but printable characters and line feeds as JSON does, so JSON stays the same."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


class _GuardedStream:
    """A text stream that escapes what is written to it.

    Attributes:
        unguarded: The stream.
        failure: Why something could not be written, whoever passed over it since.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unguarded = stream
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        try:
            self.unguarded.write(escaped(text))
        except OSError as error:
            self.failure = error
            raise
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)


def guard() -> None:
    """Stand before standard output and standard error of this process."""
    sys.stdout = cast("TextIO", _GuardedStream(sys.stdout))
    sys.stderr = cast("TextIO", _GuardedStream(sys.stderr))


def keep_results_apart() -> None:
    """From now on print to standard error, whoever prints, and only results to standard output.

    A domain is somebody's code in this process: what it or a program that it starts prints is no
    part of the JSON that another program reads.
    """
    _apart.append(cast("TextIO", _GuardedStream(os.fdopen(os.dup(1), "w", encoding="utf-8"))))
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.stdout = sys.stderr


def results() -> TextIO:
    """Return where results are printed."""
    return _apart[-1] if _apart else sys.stdout


def clear() -> None:
    """Clear the terminal behind standard output."""
    stream = sys.stdout
    raw = stream.unguarded if isinstance(stream, _GuardedStream) else stream
    raw.write("\x1b[H\x1b[2J")


def console(stream: TextIO | None = None) -> "Console":
    """Return a console on a stream, standard output if none is given."""
    from rich.console import Console

    class EscapingConsole(Console):
        """Escapes texts; what is a `Text` already is its maker's business."""

        def render_str(self, text: str, **options: Any) -> Any:
            return super().render_str(escaped(text), **options)

    target = stream or sys.stdout
    raw = target.unguarded if isinstance(target, _GuardedStream) else target
    width = None if target.isatty() else PLAIN_WIDTH
    return EscapingConsole(file=raw, highlight=False, markup=False, emoji=False, width=width)
