"""Tell whether reviewers accepted a paper, from its text: CSV files of a folder.

The data are a person's own copy; the project does not contain them. A folder has train.csv,
val.csv and test.csv, or one paper_review.csv, of which balanced splits are drawn.
"""

from pathlib import Path

from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.csv_rows import CsvForm, shuffle
from hyperspace.tasks.options import from_folder
from hyperspace.tasks.table import Row, TableDomain

LABELS = ("accept", "reject")
OF_EACH = 50  # accepted, and rejected, papers of a split
_NAME = "paper_review"
_FORM = CsvForm(
    name=_NAME,
    id_column="question_id",
    inputs={"paper_text": "paper_text"},
    label_column="outcome",
    labels=LABELS,
)
_DESCRIPTION = """# Did reviewers accept this paper?

`forward(inputs)` gets `{"paper_text": TEXT}` and answers `accept` or `reject`: what the reviewers
of the conference decided. The score of a split is the share of right answers; half of each split
was accepted. The task agent may ask a model.
"""
_SMOKE_INPUTS = {"domain": _NAME, "paper_text": "Title: On two sorts of sand. Abstract: We sieve."}


def paper_review(folder: Path) -> TableDomain:
    """Read the files of a folder.

    Raises:
        DomainDataError: A file or column is missing, a row is malformed, or papers are too few.
    """
    return TableDomain(
        _NAME, _FORM.read(folder, _draw), smoke_inputs=_SMOKE_INPUTS, description=_DESCRIPTION
    )


make = from_folder(_NAME)(paper_review)


def _draw(rows: list[Row], path: Path) -> dict[Split, list[Row]]:
    """Shuffle all, then each class, and deal thirds; 50 of a class to a split, or all there are."""
    shuffle(rows)
    classes = [[row for row in rows if row.label == label] for label in LABELS]
    size = min(OF_EACH, *(len(papers) // len(SPLITS) for papers in classes))
    if size == 0:
        counts = " and ".join(
            f"{len(papers)} of {label}" for label, papers in zip(LABELS, classes, strict=True)
        )
        raise DomainDataError(f"{_NAME}: {path} has {counts}; 3 of each are needed")
    for papers in classes:
        shuffle(papers)
    splits: dict[Split, list[Row]] = {}
    for number, split in enumerate(SPLITS):
        drawn = [row for papers in classes for row in papers[number * size : (number + 1) * size]]
        shuffle(drawn)  # so that the staged items, the first of train, are of both classes
        splits[split] = drawn
    return splits
