"""Grade a student's answer to an olympiad problem: three CSV files of a folder, four labels.

The splits are those of IMO-GradingBench (google-deepmind/superhuman, CC BY 4.0); the project does
not contain them. Points, Reward and Problem Source never become inputs.
"""

import csv
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from domains.base import SPLITS, DomainDataError, Split
from domains.options import read_options
from domains.table import Row, TableDomain, normalise

LABELS = ("incorrect", "partial", "almost", "correct")
POINTS = (0, 1, 6, 7)  # of each label, out of 7
INPUT_COLUMNS = {
    "problem": "Problem",
    "solution": "Solution",
    "grading_guidelines": "Grading guidelines",
    "student_answer": "Response",
}
_COLUMNS = ("Grading ID", *INPUT_COLUMNS.values(), "Reward")
_FIELD_LIMIT = 16 * 1024**2
_NAME = "imo_grading"
_SMOKE_INPUTS = {
    "domain": _NAME,
    "problem": "Show that the sum of two even integers is even.",
    "solution": "Write them as 2a and 2b; their sum is 2(a + b).",
    "grading_guidelines": "Full marks for a complete argument, none for examples alone.",
    "student_answer": "2a + 2b = 2(a + b), which is even.",
}


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The domain has no options."""


def make(data: Path | None, options: Mapping[str, str]) -> TableDomain:
    """Make the domain from a folder.

    Raises:
        DomainDataError: There is no folder, it lacks something, or there is an option.
    """
    read_options(_NAME, options, NoOptions)
    if data is None:
        raise DomainDataError(
            f"{_NAME} reads train.csv, val.csv and test.csv; name their folder with --data"
        )
    return imo_grading(data)


def imo_grading(folder: Path) -> TableDomain:
    """Read train.csv, val.csv and test.csv of `folder`.

    Raises:
        DomainDataError: A file or column is missing, or a row is malformed.
    """
    rows: dict[Split, tuple[Row, ...]] = {
        split: tuple(_rows(_file(folder, split), split)) for split in SPLITS
    }
    scale = {label: points / 7 for label, points in zip(LABELS, POINTS, strict=True)}
    return TableDomain(_NAME, rows, smoke_inputs=_SMOKE_INPUTS, scale=scale)


def _file(folder: Path, split: Split) -> Path:
    wanted = ", ".join(f"{name}.csv" for name in SPLITS)
    if not folder.is_dir():
        raise DomainDataError(f"{_NAME}: {folder} is not a directory; give one that holds {wanted}")
    path = folder / f"{split}.csv"
    if not path.is_file():
        raise DomainDataError(
            f"{_NAME}: {folder} holds no {path.name}; it needs {wanted}, "
            f"each with the columns {', '.join(_COLUMNS)}"
        )
    return path


def _rows(path: Path, split: Split) -> Iterator[Row]:
    for number, record in enumerate(_records(path), start=1):
        label = normalise(record["Reward"])
        if label not in LABELS:
            raise DomainDataError(
                f"{_NAME}: row {number} of {path} has the Reward {record['Reward']!r}; "
                f"expected one of {', '.join(LABELS)}"
            )
        source = f"{_NAME}/{split}/{number}/{record['Grading ID']}"
        yield Row(
            hashlib.sha256(source.encode()).hexdigest()[:12],  # tells nothing of the label
            {"domain": _NAME} | {key: record[name] for key, name in INPUT_COLUMNS.items()},
            label,
        )


def _records(path: Path) -> Iterator[dict[str, str]]:
    previous = csv.field_size_limit(_FIELD_LIMIT)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True, restval="")
            columns = reader.fieldnames or ()
            missing = [name for name in _COLUMNS if name not in columns]
            if missing:
                raise DomainDataError(
                    f"{_NAME}: {path} lacks the columns {', '.join(missing)}; "
                    f"it has {', '.join(columns) or 'none'}"
                )
            yield from reader
    except (csv.Error, UnicodeDecodeError) as error:
        raise DomainDataError(f"{_NAME}: {path} is not a UTF-8 CSV file: {error}") from error
    except OSError as error:
        raise DomainDataError(f"{_NAME}: cannot read {path}: {error.strerror}") from error
    finally:
        csv.field_size_limit(previous)
