"""Grade a student's answer to an olympiad problem: three CSV files of a folder, four labels.

The splits are those of IMO-GradingBench (google-deepmind/superhuman, CC BY 4.0); the project does
not contain them. Points, Reward and Problem Source never become inputs.
"""

from pathlib import Path

from hyperspace.tasks.csv_rows import CsvForm
from hyperspace.tasks.options import from_folder
from hyperspace.tasks.table import TableDomain

LABELS = ("incorrect", "partial", "almost", "correct")
POINTS = (0, 1, 6, 7)  # of each label, out of 7
INPUT_COLUMNS = {
    "problem": "Problem",
    "solution": "Solution",
    "grading_guidelines": "Grading guidelines",
    "student_answer": "Response",
}
_NAME = "imo_grading"
_FORM = CsvForm(
    name=_NAME,
    id_column="Grading ID",
    inputs=INPUT_COLUMNS,
    label_column="Reward",
    labels=LABELS,
)
_DESCRIPTION = """# Grade an answer to an olympiad problem

`forward(inputs)` gets a `problem`, a correct `solution`, the `grading_guidelines` and a
`student_answer`, and answers with one of four labels: `incorrect` (0 points of 7), `partial` (1),
`almost` (6), `correct` (7). The score of a split is the share of labels that are those of a human
grader. The task agent may ask a model.
"""
_SMOKE_INPUTS = {
    "domain": _NAME,
    "problem": "Show that the sum of two even integers is even.",
    "solution": "Write them as 2a and 2b; their sum is 2(a + b).",
    "grading_guidelines": "Full marks for a complete argument, none for examples alone.",
    "student_answer": "2a + 2b = 2(a + b), which is even.",
}


def imo_grading(folder: Path) -> TableDomain:
    """Read train.csv, val.csv and test.csv of `folder`.

    Raises:
        DomainDataError: A file or column is missing, or a row is malformed.
    """
    scale = {label: points / 7 for label, points in zip(LABELS, POINTS, strict=True)}
    return TableDomain(
        _NAME,
        _FORM.splits(folder),
        smoke_inputs=_SMOKE_INPUTS,
        scale=scale,
        description=_DESCRIPTION,
    )


make = from_folder(_NAME)(imo_grading)
