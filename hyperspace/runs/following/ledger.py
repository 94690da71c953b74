"""The ledger of a run, followed while the run goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from hyperspace.runs.following.tail import LineDamaged, LineTail
from hyperspace.spending.ledger_file import LedgerDamaged, require_format
from hyperspace.spending.ledger_lines import LedgerHead, Line

_DECODER: Final = msgspec.json.Decoder(Line)


class LedgerTail:
    """Reads a ledger from its begin to wherever it grows; remembers no line."""

    def __init__(self, path: Path) -> None:
        """Follow a file; it need not be there yet."""
        self._path = path
        self._tail = LineTail(path)

    @property
    def is_behind(self) -> bool:
        """Whether there was more when something was read last."""
        return self._tail.is_behind

    @property
    def read_share(self) -> float:
        """How much of the ledger has been read, in [0, 1]."""
        return self._tail.read_share

    def look(self) -> Iterator[list[Line]]:
        """The lines that were completed since the last look, some thousands at a time.

        Raises:
            LedgerDamaged: A line cannot be read, or there is less than was read before.
            OSError: It cannot be read.
        """
        try:
            for lines in self._tail.look(_DECODER):
                if self._tail.was_replaced:
                    raise LedgerDamaged(f"{self._path} has lost lines that it had")
                for line in lines:
                    if type(line) is LedgerHead:
                        require_format(line, self._path)
                yield lines
        except LineDamaged as error:
            where = f"{self._path}, line {error.line}"
            raise LedgerDamaged(f"{where} is no line of a ledger ({error.reason})") from error
