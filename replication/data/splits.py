"""The published splits of IMO-GradingBench, row by row, from the benchmark's own table.

The recipe: keep the rows with 0, 1, 6 or 7 points; shuffle; sample 300; split 100 to 200 and the
200 in halves, both stratified by reward. The 100 are train, the halves val and test. The published
splits are defined by what pandas and scikit-learn draw for seed 42, so these draw them here too.
"""

import io
from importlib import import_module
from typing import Any, Final, NamedTuple

from hyperspace.kernel.errors import LibraryMissing, RunError
from hyperspace.kernel.files import sha256_hex
from hyperspace.tasks.base import SPLITS, Split

COLUMNS: Final = (
    "Grading ID",
    "Problem ID",
    "Problem",
    "Solution",
    "Grading guidelines",
    "Response",
    "Points",
    "Reward",
    "Problem Source",
)
POINTS: Final = (0, 1, 6, 7)
SAMPLE: Final = 300
PART: Final = 100
SEED: Final = 42
PUBLISHED_KEPT: Final = 812
PUBLISHED: Final = {
    "train": "97cb60488f422eec1226d6697a32a80575fbb76bb30f35713f965af4d3c21732",
    "val": "a44094c079ee6b18133af13b51b8eb9ea8794896e0da3f91351b5d28c4b33b3a",
    "test": "d23833d0f3d8d37ed0f81320660988d5be072acbba0d2b4720670085491b52b9",
}


class SplitError(RunError):
    """A table cannot be split by the recipe; the message says what it lacks."""


class Splits(NamedTuple):
    """The rows of a table, and what was left out.

    Attributes:
        kept: How many of its rows have 0, 1, 6 or 7 points.
        files: The CSV file of each split.
    """

    kept: int
    files: dict[Split, bytes]

    @property
    def differing(self) -> tuple[Split, ...]:
        """Splits that are not the published ones, byte for byte."""
        return tuple(s for s in SPLITS if sha256_hex(self.files[s]) != PUBLISHED[s])


def make_splits(table: bytes) -> Splits:
    """Split the benchmark's table, a CSV file.

    Raises:
        SplitError: It is no such table, or has too few rows.
        LibraryMissing: The extra `data` is not installed.
    """
    pandas = _required("pandas")
    rows = _read(pandas, table)
    rows = rows[pandas.to_numeric(rows["Points"], errors="coerce").isin(POINTS)]
    if len(rows) < SAMPLE:
        points = f"{', '.join(map(str, POINTS[:-1]))} or {POINTS[-1]}"
        raise SplitError(f"{len(rows)} rows of the table have {points} points; it needs {SAMPLE}")
    sample = rows.sample(frac=1, random_state=SEED).sample(SAMPLE, random_state=SEED)
    train, others = _halve(sample)
    val, test = _halve(others)
    parts: dict[Split, Any] = {"train": train, "val": val, "test": test}
    return Splits(
        len(rows),
        {
            split: part.to_csv(index=False, lineterminator="\n").encode()
            for split, part in parts.items()
        },
    )


def _read(pandas: Any, table: bytes) -> Any:
    try:
        # Cells stay the text that they are: "NA" is an answer, not a missing value.
        rows = pandas.read_csv(io.BytesIO(table), dtype=str, keep_default_na=False)
    except (ValueError, UnicodeDecodeError) as error:  # pandas' parser errors are ValueErrors
        raise SplitError(f"the table is no UTF-8 CSV file: {error}") from error
    missing = [name for name in COLUMNS if name not in rows.columns]
    if missing:
        raise SplitError(
            f"the table lacks the columns {', '.join(missing)}; it has {list(rows.columns)!r:.400}"
        )
    return rows


def _halve(rows: Any) -> tuple[Any, Any]:
    """Take 100 rows from the others, with the same mix of rewards."""
    split = _required("sklearn.model_selection").train_test_split
    try:
        return split(rows, train_size=PART, random_state=SEED, stratify=rows["Reward"])
    except ValueError as error:  # a reward that is too rare to be in both parts
        raise SplitError(f"the table cannot be split by reward: {error}") from error


def _required(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        needs = f"the splits are drawn by pandas and scikit-learn ({error})"
        raise LibraryMissing(needs, "data") from error
