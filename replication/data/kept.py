"""The folder that the splits are kept in, and how two sets of splits are compared."""

import csv
import io
import os
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Final

from guards.scope.regular_files import Unreadable, read_given
from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.kernel.files import write_atomically
from hyperspace.tasks.base import SPLITS, Split
from replication.data.source import MOST_BYTES

RECORD: Final = "source.json"
NOTE: Final = "LICENCE.txt"
ATTRIBUTION: Final = b"""\
train.csv, val.csv and test.csv hold 300 rows of IMO-GradingBench by Google DeepMind
(https://github.com/google-deepmind/superhuman), licensed under the Creative Commons Attribution 4.0
International licence (CC BY 4.0, https://creativecommons.org/licenses/by/4.0/).

Changed: rows were selected, shuffled and split; no row was edited. source.json says from what.
"""
_LONGEST_FIELD: Final = 16 * 1024**2


class KeepError(RunError):
    """The splits could not be written where they should go."""


def check_folder(option: str, folder: Path) -> None:
    """Refuse early a place that is no folder and cannot become one.

    Args:
        option: How it was given, for the message.
        folder: The place; it need not exist.

    Raises:
        RunUsageError: It, or something above it, is a file.
    """
    for parent in (folder, *folder.parents):
        if parent.is_dir():
            return
        if os.path.lexists(parent):
            raise RunUsageError(
                f"{option} {folder}: {parent} is no folder; name a folder for "
                f"{', '.join(f'{split}.csv' for split in SPLITS)}"
            )


def keep(folder: Path, files: Mapping[Split, bytes], record: bytes) -> bool:
    """Write splits with their licence, and last of all the record of where they come from.

    Returns:
        False if these splits were there already, and nothing was done.

    Raises:
        RunUsageError: The folder holds something else under one of the names.
        KeepError: It cannot be written.
    """
    wanted = {f"{split}.csv": files[split] for split in SPLITS} | {NOTE: ATTRIBUTION}
    present = {name: _content(folder / name) for name in wanted}
    for name, data in wanted.items():
        if present[name] not in (None, data):
            raise RunUsageError(f"{folder / name} holds other data; use another --out folder")
    if present == wanted and (folder / RECORD).exists():
        return False
    _write(folder, {name: data for name, data in wanted.items() if present[name] is None})
    _write(folder, {RECORD: record})
    return True


def first_difference(files: Mapping[Split, bytes], given: Path) -> str | None:
    """Return where splits differ from those of a folder; None if every row is the same.

    Raises:
        RunUsageError: The folder lacks a split, or what has its name cannot be read.
    """
    for split in SPLITS:
        path = given / f"{split}.csv"
        content = _content(path)
        if content is None:
            raise RunUsageError(f"there is no file {path} to compare with")
        columns: list[str] = []
        pairs = zip_longest(_rows(files[split]), _rows(content))
        for number, (ours, theirs) in enumerate(pairs):
            if number == 0:
                columns = ours or []
            if ours != theirs:
                where = "the header" if number == 0 else f"row {number}"
                return f"{split}: {where} {_how(columns, ours, theirs)}"
    return None


def _how(columns: list[str], ours: list[str] | None, theirs: list[str] | None) -> str:
    if theirs is None:
        return "is missing there"
    if ours is None:
        return "is one too many there"
    name = columns[0] if columns else ""
    for column, here, there in zip_longest(columns, ours, theirs, fillvalue=""):
        if here != there:
            who = f" ({name} {ours[0]!r} here, {theirs[0]!r} there)" if ours and theirs else ""
            return f"differs in {column!r}{who}"
    return "has another number of columns"


def _rows(data: bytes) -> Iterator[list[str]]:
    previous = csv.field_size_limit(_LONGEST_FIELD)
    try:
        text = io.StringIO(data.decode("utf-8-sig", "replace"), newline="")
        yield from csv.reader(text)
    except csv.Error as error:
        raise RunUsageError(f"a file to compare with is no CSV: {error}") from error
    finally:
        csv.field_size_limit(previous)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        try:
            write_atomically(folder / name, data)
        except OSError as error:
            raise KeepError(
                f"{folder / name} cannot be written ({error.strerror}); use another --out folder"
            ) from error


def _content(path: Path) -> bytes | None:
    try:
        return read_given(path, MOST_BYTES)
    except Unreadable as reason:
        if reason.is_missing:
            return None
        raise RunUsageError(f"{path} {reason}; use another folder") from reason
