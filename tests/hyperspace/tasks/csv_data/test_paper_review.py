import csv
from collections import Counter
from pathlib import Path

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError
from hyperspace.tasks.paper_review.domain import paper_review
from hyperspace.tasks.registry import load


def write(folder: Path, accepted: int, rejected: int, name: str = "paper_review") -> None:
    outcomes = ["Accept"] * accepted + ["reject"] * rejected
    rows = [(f"q{n}", f"paper {n}", outcome) for n, outcome in enumerate(outcomes)]
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("question_id", "paper_text", "outcome"), *rows])


def test_each_split_has_fifty_papers_of_each_outcome(tmp_path: Path) -> None:
    write(tmp_path, 160, 400)
    domain = load("paper_review", data=tmp_path)
    for split in SPLITS:
        assert Counter(domain.labels(split).values()) == {"accept": 50, "reject": 50}
    papers = {item.inputs["paper_text"] for split in SPLITS for item in domain.items(split)}
    assert len(papers) == 300
    assert paper_review(tmp_path).data_sha256 == domain.data_sha256


def test_the_staged_items_are_of_both_outcomes(tmp_path: Path) -> None:
    write(tmp_path, 150, 150)
    domain = paper_review(tmp_path)
    staged = [item.id for item in domain.items("train")[: domain.staged_items]]
    assert {domain.labels("train")[id_] for id_ in staged} == {"accept", "reject"}


def test_the_rarer_outcome_bounds_a_split(tmp_path: Path) -> None:
    write(tmp_path, 7, 300)
    assert [len(paper_review(tmp_path).items(split)) for split in SPLITS] == [4, 4, 4]


def test_files_of_splits_are_taken_as_they_are(tmp_path: Path) -> None:
    for number, split in enumerate(SPLITS, start=1):
        write(tmp_path, number, 1, split)
    domain = paper_review(tmp_path)
    assert [len(domain.items(split)) for split in SPLITS] == [2, 3, 4]
    assert domain.items("train")[0].inputs == {"domain": "paper_review", "paper_text": "paper 0"}


def test_too_few_papers_are_counted_in_one_sentence(tmp_path: Path) -> None:
    write(tmp_path, 2, 9)
    with pytest.raises(DomainDataError, match="2 of accept and 9 of reject; 3 of each are needed"):
        paper_review(tmp_path)
