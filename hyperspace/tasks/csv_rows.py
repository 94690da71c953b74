"""Reads published data that a person has as CSV files, and makes labelled rows of them."""

import csv
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

import msgspec

from guards.parsing import csv_lines
from guards.scope.regular_files import open_regular
from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.table import Row, normalise

_FIELD_LIMIT = 16 * 1024**2
_SHOWN = 300  # characters of a file in a message
_SHUFFLE: Final = 42
_FORMULAS: Final = (*"=+-@\t\r\n\uff1d\uff0b\uff0d\uff20",)  # how spreadsheets begin one
T = TypeVar("T")


Splits = Mapping[Split, Sequence[Row]]


class CsvForm(msgspec.Struct, frozen=True, kw_only=True):
    """How rows of CSV files become rows with labels.

    Attributes:
        name: The domain's; every input says it as `domain`.
        id_column: Part of what a row's id is hashed from.
        inputs: Key of an input to the column that it comes from.
        label_column: Where the true answer is.
        labels: The answers that there are.
        passed_over: Labels of rows that do not count, such as ties.
    """

    name: str
    id_column: str
    inputs: Mapping[str, str]
    label_column: str
    labels: Sequence[str]
    passed_over: Sequence[str] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that a file needs."""
        return (self.id_column, *self.inputs.values(), self.label_column)

    def rows(self, path: Path, part: str) -> Iterator[Row]:
        """Read a file.

        Args:
            path: The file.
            part: What it holds, a split or all; part of what ids are hashed from.

        Raises:
            DomainDataError: It cannot be read, or a row has no label that is known.
        """
        for number, record in enumerate(read_records(self.name, path, self.columns), start=1):
            label = normalise(record[self.label_column])
            if label in self.passed_over:
                continue
            if label not in self.labels:
                raise DomainDataError(
                    f"{self.name}: row {number} of {path} has the {self.label_column} "
                    f"{record[self.label_column][:_SHOWN]!r}; "
                    f"expected one of {', '.join(self.labels)}"
                )
            inputs = {key: record[column] for key, column in self.inputs.items()}
            id_ = hashed_id(self.name, part, number, record[self.id_column])
            yield Row(id_, {"domain": self.name} | inputs, label)

    def read(self, folder: Path, deal: Callable[[list[Row], Path], Splits]) -> Splits:
        """Read a file for each split, or one with all rows, which are dealt out.

        Raises:
            DomainDataError: A file or column is missing, a row is malformed, or rows are too few.
        """
        path = whole_file(self.name, folder, self.columns)
        return self.splits(folder) if path is None else deal(list(self.rows(path, "all")), path)

    def splits(self, folder: Path) -> Splits:
        """Read train.csv, val.csv and test.csv of a folder.

        Raises:
            DomainDataError: A file or column is missing, or a row is malformed.
        """
        return {
            split: tuple(self.rows(split_file(self.name, folder, split, self.columns), split))
            for split in SPLITS
        }


def deal_in_thirds(domain: str, rows: Sequence[T], path: Path) -> dict[Split, list[T]]:
    """Shuffle rows that have no published split, and deal them out, the same everywhere.

    Raises:
        DomainDataError: They are too few.
    """
    if len(rows) < len(SPLITS):
        raise DomainDataError(f"{domain}: {path} has {len(rows)} rows; {len(SPLITS)} are needed")
    shuffled = list(rows)
    shuffle(shuffled)
    return {split: shuffled[number :: len(SPLITS)] for number, split in enumerate(SPLITS)}


def shuffle(rows: list[T]) -> None:
    """Shuffle rows in place, the same for everybody who has the file."""
    Random(_SHUFFLE).shuffle(rows)  # noqa: S311 - no secret


def inert(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula, whoever wrote the text."""
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


def inert_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose texts no spreadsheet takes for formulas; numbers stay numbers."""
    return {name: inert(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def from_inert(cell: str) -> str:
    """Return the text that `inert` made a cell of."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULAS) else cell


def hashed_id(domain: str, part: str, number: int, name: str) -> str:
    """Return the id of a row, which tells nothing of its label."""
    return hashlib.sha256(f"{domain}/{part}/{number}/{name}".encode()).hexdigest()[:12]


def split_file(domain: str, folder: Path, split: Split, columns: Sequence[str]) -> Path:
    """Return the file of a split.

    Raises:
        DomainDataError: The folder or the file does not exist.
    """
    wanted = ", ".join(f"{name}.csv" for name in SPLITS)
    if not folder.is_dir():
        raise DomainDataError(
            f"{domain}: {folder} is not a directory; give one that holds {wanted}"
        )
    path = folder / f"{split}.csv"
    if not path.is_file():
        raise DomainDataError(
            f"{domain}: {folder} holds no {path.name}; it needs {wanted}, "
            f"each with the columns {', '.join(columns)}"
        )
    return path


def whole_file(domain: str, folder: Path, columns: Sequence[str]) -> Path | None:
    """Return the file with the rows of all splits, DOMAIN.csv; None where each split has a file.

    Raises:
        DomainDataError: There is no such folder, or it has neither.
    """
    path = folder / f"{domain}.csv"
    if (folder / "train.csv").is_file() or not folder.is_dir():
        return None
    if not path.is_file():
        raise DomainDataError(
            f"{domain}: {folder} holds neither {path.name} nor train.csv, val.csv and test.csv; "
            f"the columns are {', '.join(columns)}"
        )
    return path


def read_records(domain: str, path: Path, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """Read a UTF-8 CSV file row by row, each as column to text.

    Raises:
        DomainDataError: It cannot be read, lacks one of the columns, or a row has more cells.
    """
    previous = csv.field_size_limit(_FIELD_LIMIT)
    try:
        with open_regular(path.resolve()) as file:
            reader = csv.DictReader(csv_lines(file), strict=True, restval="")
            present = reader.fieldnames or ()
            missing = [name for name in columns if name not in present]
            if missing:
                raise DomainDataError(
                    f"{domain}: {path} lacks the columns {', '.join(missing)}; "
                    f"it has {', '.join(present)[:_SHOWN] or 'none'}"
                )
            for number, record in enumerate(reader, start=1):
                if None in record:
                    raise DomainDataError(
                        f"{domain}: row {number} of {path} has more cells than columns; a cell "
                        'with a comma stands in quotes: "like, this"'
                    )
                yield record
    except (csv.Error, UnicodeDecodeError) as error:
        raise DomainDataError(f"{domain}: {path} is not a UTF-8 CSV file: {error}") from error
    except OSError as error:
        raise DomainDataError(f"{domain}: cannot read {path}: {error.strerror or error}") from error
    finally:
        csv.field_size_limit(previous)
