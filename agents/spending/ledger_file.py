"""The file of a ledger, read line by line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from agents.spending.ledger_lines import FORMAT, LedgerHead, Line

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
            try:
                line = _DECODER.decode(text)
            except msgspec.DecodeError as error:
                where = f"{path}, line {number}"
                raise LedgerDamaged(f"{where} is no line of a ledger ({error})") from error
            if isinstance(line, LedgerHead):
                require_format(line, path, number)
            yield line


def require_format(head: LedgerHead, path: Path, number: int = 1) -> None:
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
