"""Prove olympiad statements, graded by a judge model: CSV files of a folder.

The data are a person's own copy, in the columns of IMO-ProofBench (google-deepmind/superhuman); the
project does not contain them. A folder has train.csv, val.csv and test.csv, or one imo_proof.csv,
which has no published split and is shuffled and dealt in thirds.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split
from hyperspace.tasks.csv_rows import (
    deal_in_thirds,
    hashed_id,
    read_records,
    split_file,
    whole_file,
)
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.imo_proof.judging import Rubric, ask, outcome_of, read_points
from hyperspace.tasks.options import from_folder
from hyperspace.tasks.package_files import task_files
from hyperspace.tasks.shapes.judged import UNREADABLE
from hyperspace.tasks.shapes.outcome import Outcome

_NAME = "imo_proof"
_COLUMNS = ("Problem ID", "Problem", "Solution", "Grading guidelines")
_SMOKE_INPUTS = {"domain": _NAME, "problem": "Show that the sum of two even integers is even."}


class ImoProofDomain(GradedDomain):
    """Proofs; see `JudgedByModel`."""

    def __init__(self, rubrics: Mapping[Split, Mapping[str, Rubric]]) -> None:
        """Keep what the judge knows, by the ids of the items."""
        self._rubrics = {id_: rubric for split in rubrics.values() for id_, rubric in split.items()}
        super().__init__(
            _NAME,
            {
                split: [
                    Item(id_, {"domain": _NAME, "problem": rubric.problem})
                    for id_, rubric in rubrics[split].items()
                ]
                for split in SPLITS
            },
            smoke_inputs=_SMOKE_INPUTS,
            metric="mean points / 7",
            sealed=msgspec.to_builtins(self._rubrics),
            calls_model=True,
            task_files=task_files(_NAME),
        )

    def question(self, item: Item, answer: str) -> str:
        """Return what the judge is asked; the proof in it is marked as data."""
        return ask(self._rubrics[item.id], answer)

    def judgement(self, item: Item, reply: str) -> Outcome | None:
        """Read the judge's reply; None if it gives no points that there are."""
        points = read_points(reply)
        return None if points is None else outcome_of(points)

    def worst(self, item: Item) -> Outcome:
        """No points, because no reply could be read."""
        return UNREADABLE


def imo_proof(folder: Path) -> ImoProofDomain:
    """Read the files of a folder.

    Raises:
        DomainDataError: A file or column is missing, or problems are too few.
    """
    path = whole_file(_NAME, folder, _COLUMNS)
    if path is None:
        return ImoProofDomain(
            {
                split: dict(_rubrics(split_file(_NAME, folder, split, _COLUMNS), split))
                for split in SPLITS
            }
        )
    dealt = deal_in_thirds(_NAME, _rubrics(path, "all"), path)
    return ImoProofDomain({split: dict(rubrics) for split, rubrics in dealt.items()})


make = from_folder(_NAME)(imo_proof)


def _rubrics(path: Path, part: str) -> list[tuple[str, Rubric]]:
    records = enumerate(read_records(_NAME, path, _COLUMNS), start=1)
    rubrics: list[tuple[str, Rubric]] = []
    for number, record in records:
        name, problem, solution, guidelines = (record[column] for column in _COLUMNS)
        if not problem.strip():
            raise DomainDataError(f"{_NAME}: row {number} of {path} has an empty Problem")
        rubric = Rubric(problem, solution, guidelines)
        rubrics.append((hashed_id(_NAME, part, number, name), rubric))
    return rubrics
