"""A table with the columns of IMO-GradingBench, made from a seed."""

import csv
import io
import random
from collections.abc import Iterable, Mapping

from replication.data.splits import COLUMNS

REWARDS = {0: "Incorrect", 1: "Partial", 6: "Almost", 7: "Correct"}
KEPT = tuple(REWARDS)
DROPPED = (2, 3, 4, 5)
ROWS = 1000


def table(seed: int, rows: int = ROWS) -> bytes:
    """A table whose points, texts and rewards follow from the seed."""
    rng = random.Random(seed)
    weights = (30, 22, 4, 4, 3, 3, 6, 28)
    points = rng.choices(range(8), weights, k=rows)
    return as_csv(row(number, point) for number, point in enumerate(points, start=1))


def row(number: int, points: int) -> dict[str, str]:
    """One row; its texts hold what CSV has to quote."""
    texts = {name: f'{name} of "{number}",\nNA' for name in COLUMNS}
    reward = REWARDS.get(points, "Partial")
    return texts | {"Grading ID": grading_id(number), "Points": str(points), "Reward": reward}


def grading_id(number: int) -> str:
    """The id of a row, by its place in the table from 1."""
    return f"GB-{number:04}"


def as_csv(rows: Iterable[Mapping[str, str]]) -> bytes:
    """Rows as a CSV file."""
    text = io.StringIO(newline="")
    writer: csv.DictWriter[str] = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def read_csv(data: bytes) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))
