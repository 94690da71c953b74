"""The file of a ledger, read line by line: at once, or as another process writes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from agents.spending.ledger_lines import FORMAT, LedgerHead, Line

MOST_BYTES: Final = 1 << 20
_DECODER: Final = msgspec.json.Decoder(Line)


class LedgerDamaged(Exception):
    """A ledger holds what this version did not write; the message names the line."""


def read_lines(path: Path) -> Iterator[Line]:
    """Read a ledger line by line; a torn last line is left out.

    Raises:
        LedgerDamaged: A line cannot be read, or the ledger has another form.
    """
    with path.open("rb") as lines:
        for number, text in enumerate(lines, 1):
            if not text.endswith(b"\n"):
                return
            yield _decoded(text, path, number)


def _decoded(text: bytes, path: Path, number: int) -> Line:
    where = f"{path}, line {number}"
    try:
        line = _DECODER.decode(text)
    except msgspec.DecodeError as error:
        raise LedgerDamaged(f"{where} is no line of a ledger ({error})") from error
    if isinstance(line, LedgerHead) and line.format != FORMAT:
        raise LedgerDamaged(f"{where} says format {line.format}; this version reads {FORMAT}")
    return line


class LedgerTail:
    """Reads a ledger from its begin to wherever it grows; remembers no line.

    Attributes:
        is_behind: Whether the last look left something unread.
    """

    def __init__(self, path: Path) -> None:
        """Follow a file; it need not be there yet."""
        self.is_behind = False
        self._path = path
        self._read_bytes = 0
        self._lines = 0

    def look(self) -> list[Line]:
        """The lines that were completed since the last look, or some of very many.

        Raises:
            LedgerDamaged: A line cannot be read, or there is less than was read before.
        """
        added = self._added()
        self.is_behind = len(added) == MOST_BYTES
        *whole, _torn = added.split(b"\n")
        lines: list[Line] = []
        for text in whole:
            self._read_bytes += len(text) + 1
            self._lines += 1
            lines.append(_decoded(text + b"\n", self._path, self._lines))
        return lines

    def _added(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, 2)
                if size < self._read_bytes:
                    raise LedgerDamaged(f"{self._path} has lost lines that it had")
                file.seek(self._read_bytes)
                return file.read(MOST_BYTES)
        except FileNotFoundError:
            return b""
