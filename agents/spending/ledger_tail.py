"""Following a ledger that another process writes."""

from pathlib import Path
from typing import Final

import msgspec

from agents.spending.ledger_file import LedgerDamaged, decoded_line
from agents.spending.ledger_lines import Line

MOST_BYTES: Final = 1 << 20


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
        self._decoder = msgspec.json.Decoder(Line)

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
            where = f"{self._path}, line {self._lines}"
            lines.append(decoded_line(self._decoder, text + b"\n", where))
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
