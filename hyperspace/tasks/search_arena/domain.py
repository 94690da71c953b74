"""Tell which of two conversations with search a person preferred: CSV files of a folder.

The data are a person's own copy; the project does not contain them. A folder has train.csv,
val.csv and test.csv, or one search_arena.csv, which is shuffled and cut.
"""

from pathlib import Path

from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.csv_rows import CsvForm, shuffle
from hyperspace.tasks.options import from_folder
from hyperspace.tasks.table import Row, TableDomain

ITEMS = 100  # of a split
_NAME = "search_arena"
_FORM = CsvForm(
    name=_NAME,
    id_column="question_id",
    inputs={"messages_a": "messages_a", "messages_b": "messages_b"},
    label_column="winner",
    labels=("model_a", "model_b"),
    passed_over=("tie", "tie (bothbad)", "both_bad", "bothbad"),
)
_DESCRIPTION = """# Which of two answers with search did a person prefer?

`forward(inputs)` gets two conversations on the same question, `{"messages_a": TEXT, "messages_b":
TEXT}`, and answers `model_a` or `model_b`: the one that a person preferred. The score of a split
is the share of right answers. The task agent may ask a model.
"""
_SMOKE_INPUTS = {
    "domain": _NAME,
    "messages_a": "user: When does the library open?\nassistant: At nine, says its page.",
    "messages_b": "user: When does the library open?\nassistant: I do not know.",
}


def search_arena(folder: Path) -> TableDomain:
    """Read the files of a folder; rows that nobody won are left out.

    Raises:
        DomainDataError: A file or column is missing, a row is malformed, or rows are too few.
    """
    return TableDomain(
        _NAME, _FORM.read(folder, _cut), smoke_inputs=_SMOKE_INPUTS, description=_DESCRIPTION
    )


make = from_folder(_NAME)(search_arena)


def _cut(rows: list[Row], path: Path) -> dict[Split, list[Row]]:
    """Deal 100 rows to each split, or a third where there are fewer than 300."""
    shuffle(rows)
    size = min(ITEMS, len(rows) // len(SPLITS))
    if size == 0:
        raise DomainDataError(f"{_NAME}: {path} has {len(rows)} rows with a winner; 3 are needed")
    return {split: rows[number * size : (number + 1) * size] for number, split in enumerate(SPLITS)}
