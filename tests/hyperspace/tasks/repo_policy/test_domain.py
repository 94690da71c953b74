from typing import Any

import pytest

from hyperspace.tasks.base import DomainDataError, Split
from hyperspace.tasks.registry import load

SEED = load("repo_policy").seed_files()["task_agent.py"].decode()


def agent(code: str = SEED) -> Any:
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(code, space)  # noqa: S102 - our own file
    return space["TaskAgent"]("offline")


def answers(code: str, split: Split = "train") -> dict[str, str]:
    decide = agent(code).forward
    return {item.id: decide(item.inputs)[0] for item in load("repo_policy").items(split)}


@pytest.mark.parametrize(("split", "score"), [("train", 0.65), ("val", 0.65), ("test", 0.80)])
def test_the_seed_record_scores_as_published(split: Split, score: float) -> None:
    assert load("repo_policy").score(split, answers(SEED, split)) == pytest.approx(score)


def test_its_rows_are_those_of_repo_quality_under_a_name_of_its_own() -> None:
    domain, other = load("repo_policy?rows_seed=7"), load("repo_quality?rows_seed=7")
    assert (domain.name, domain.data_sha256) == ("repo_policy", other.data_sha256)
    assert domain.data_sha256 != load("repo_policy").data_sha256


@pytest.mark.parametrize(
    ("old", "beyond", "nearest"),
    [
        ('"threshold": 3.05', '"threshold": 2.0', '"threshold": 2.4'),
        ('"threshold": 3.05', '"threshold": 9', '"threshold": 4.2'),
        ('"security": 0.85', '"security": 40.0', '"security": 1.8'),
        ('"simplicity": 0.78', '"simplicity": -3', '"simplicity": 0.25'),
        ('"balanced",', '"generous",', '"balanced",'),
    ],
)
def test_a_value_beyond_its_bounds_counts_as_the_nearest(
    old: str, beyond: str, nearest: str
) -> None:
    assert SEED.count(old) == 1
    assert answers(SEED.replace(old, beyond)) == answers(SEED.replace(old, nearest))


def test_the_style_moves_the_threshold() -> None:
    strict = SEED.replace('"review_style": "balanced"', '"review_style": "strict"')
    by_hand = SEED.replace('"threshold": 3.05', '"threshold": 3.14')
    assert answers(strict) == answers(by_hand) != answers(SEED)


def test_a_record_within_the_bounds_is_right_everywhere() -> None:
    code = SEED
    for old, new in (
        ('"maintainability": 0.9', '"maintainability": 0.4'),
        ('"security": 0.85', '"security": 1.7'),
        ('"test_coverage": 0.88', '"test_coverage": 0.4'),
        ('"documentation": 0.72', '"documentation": 0.3'),
        ('"simplicity": 0.78', '"simplicity": 1.25'),
        ('"threshold": 3.05', '"threshold": 2.8'),
    ):
        code = code.replace(old, new)
    splits: tuple[Split, ...] = ("train", "val", "test")
    assert [load("repo_policy").score(split, answers(code, split)) for split in splits] == [1.0] * 3


def test_a_bad_option_is_one_sentence() -> None:
    with pytest.raises(DomainDataError, match=r"repo_policy: .*known field `rows`; options: rows"):
        load("repo_policy?rows=1")
