"""The file of a ledger: read back line by line, and appended to in whole lines."""

import os
from collections.abc import Iterator
from pathlib import Path

import anyio.to_thread
import msgspec

from agents.spending.ledger_lines import FORMAT, LedgerHead, Line
from agents.tracing.line_file import append_whole, open_lines


class LedgerDamaged(Exception):
    """A ledger holds what this version did not write; the message names the line."""


class LedgerFile:
    """A ledger's file, open to append to."""

    def __init__(self, path: Path) -> None:
        """Open the file; made if missing."""
        self._file = open_lines(path)

    @property
    def is_open(self) -> bool:
        """True until it is closed."""
        return self._file >= 0

    def size_bytes(self) -> int:
        """Size of the file."""
        return os.fstat(self._file).st_size

    def append(self, line: Line) -> None:
        """Append a line, whole or not at all."""
        append_whole(self._file, msgspec.json.encode(line) + b"\n")

    def sync(self) -> None:
        """Wait until all that was written is on disk."""
        os.fsync(self._file)

    async def synced(self) -> None:
        """Wait likewise, in a thread."""
        await anyio.to_thread.run_sync(os.fsync, self._file)

    def close(self) -> None:
        """Close it, once."""
        file, self._file = self._file, -1
        os.close(file)


def read_lines(path: Path) -> Iterator[Line]:
    """Read a ledger line by line; a torn last line is left out.

    Raises:
        LedgerDamaged: A line cannot be read, or the ledger has another form.
    """
    decoder = msgspec.json.Decoder(Line)
    with path.open("rb") as lines:
        for number, text in enumerate(lines, 1):
            if not text.endswith(b"\n"):
                return
            yield decoded_line(decoder, text, f"{path}, line {number}")


def decoded_line(decoder: msgspec.json.Decoder[Line], text: bytes, where: str) -> Line:
    """Read one line of a ledger.

    Args:
        decoder: Of `Line`.
        text: The line, its end included.
        where: File and line, for people.

    Raises:
        LedgerDamaged: It is none, or of another form.
    """
    try:
        line = decoder.decode(text)
    except msgspec.DecodeError as error:
        raise LedgerDamaged(f"{where} is no line of a ledger ({error})") from error
    if isinstance(line, LedgerHead) and line.format != FORMAT:
        raise LedgerDamaged(f"{where} says format {line.format}; this version reads {FORMAT}")
    return line
