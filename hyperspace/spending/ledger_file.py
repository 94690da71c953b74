"""Where the lines of a ledger are kept: the seam, and the file of a run whose space is its own."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Final, Protocol

import msgspec

from guards.parsing import UNDECODABLE
from guards.scope.regular_files import open_regular
from hyperspace.spending.ledger_lines import FORMAT, LedgerHead, Line
from hyperspace.tracing.line_file import LineFile

LONGEST_LINE_BYTES: Final = 1 << 20
_DECODER: Final = msgspec.json.Decoder(Line)


class LedgerDamaged(Exception):
    """A ledger holds what this version did not write; the message names the line."""


class LedgerLines(Protocol):
    """The lines of a ledger, which only grow. One thread uses it."""

    @property
    def is_open(self) -> bool:
        """True until it is closed."""
        ...

    def alone(self) -> AbstractContextManager[Iterable[Line]]:
        """Keep everybody else from appending while the context lasts.

        Returns:
            What was appended since this was asked last; at first, everything.

        Raises:
            LedgerDamaged: A line cannot be read, or the ledger has another form.
        """
        ...

    def append(self, line: bytes) -> None:
        """Append a line, which ends in a line feed, whole or not at all; only while `alone`."""
        ...

    def size_bytes(self) -> int:
        """Size of all lines."""
        ...

    def sync(self) -> None:
        """Wait until all that was appended outlives a loss of power."""
        ...

    def close(self) -> None:
        """Let go of it; safe to call twice."""
        ...


class LedgerFile(LineFile):
    """The lines of a ledger in a file of one process, which holds the run's lease.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path
        self._is_read = False

    @contextmanager
    def alone(self) -> Generator[Iterable[Line]]:
        """Return everything at first, and nothing later: nobody else writes."""
        was_read, self._is_read = self._is_read, True
        yield () if was_read else read_lines(self.path)


def read_lines(path: Path) -> Iterator[Line]:
    """Read a ledger line by line; a torn last line is left out.

    Raises:
        LedgerDamaged: A line cannot be read, or the ledger has another form.
        OSError: There is none, or no regular file: runs of strangers are read with this, too.
    """
    with open_regular(path) as lines:
        for number in count(1):
            text = lines.readline(LONGEST_LINE_BYTES)
            if not text.endswith(b"\n"):
                if len(text) == LONGEST_LINE_BYTES:
                    most = f"longer than {LONGEST_LINE_BYTES} bytes"
                    raise LedgerDamaged(f"{path}, line {number} is {most}, and no line of a ledger")
                return
            yield decoded_line(text, str(path), number)


def decoded_line(text: bytes, name: str, number: int) -> Line:
    """Decode a line of a ledger.

    Args:
        text: The line.
        name: Names the ledger in messages.
        number: The line's number.

    Raises:
        LedgerDamaged: It cannot be read, or says another form.
    """
    try:
        line = _DECODER.decode(text)
    except UNDECODABLE as error:
        where = f"{name}, line {number}"
        raise LedgerDamaged(f"{where} is no line of a ledger ({error})") from error
    if isinstance(line, LedgerHead):
        require_format(line, name, number)
    return line


def require_format(head: LedgerHead, path: Path | str, number: int = 1) -> None:
    """Check that this version reads a ledger.

    Args:
        head: What a line says.
        path: The ledger.
        number: The line's number.

    Raises:
        LedgerDamaged: It does not.
    """
    if head.format != FORMAT:
        raise LedgerDamaged(
            f"{path}, line {number} says format {head.format}; this version reads {FORMAT}"
        )
