"""Small files with a record a line, which one process writes and the next one reads."""

from pathlib import Path
from typing import TypeVar

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.tracing.line_file import LineFile

MOST_LINES = 10_000
_Record = TypeVar("_Record", bound=msgspec.Struct)


def read_lines(path: Path, record: type[_Record]) -> tuple[_Record, ...]:
    """Read the file; lines that hold no such record are passed over, as is a file that is none."""
    try:
        lines = read_whole(path).splitlines()
    except (OSError, Unreadable):
        return ()
    records = list[_Record]()
    for line in lines[:MOST_LINES]:
        try:
            records.append(decode_json(line, record))
        except msgspec.DecodeError:
            continue
    return tuple(records)


def append_line(path: Path, record: msgspec.Struct) -> None:
    """Write a record down, so that it outlives this process and machine.

    Raises:
        OSError: It could not be written.
    """
    with LineFile(path) as file:
        file.append(msgspec.json.encode(record) + b"\n")
        file.sync()
