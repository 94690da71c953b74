import json
import subprocess
import sys
from pathlib import Path

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.limited import Limited
from hyperspace.tasks.shapes.outcome import encode_outcome
from hyperspace.tasks.shapes.verified import Verified
from hyperspace.tasks.sortnet.domain import BEST, make, reason
from hyperspace.tasks.sortnet.score import grade
from tests.support.tasks.artefacts import public_scorer, seed_answers
from tests.support.tasks.episodes import agent_of, seed_agent

FOUR = [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)]
NINE = Item("nine", {"n": 9})


def answer(network: list[tuple[int, int]]) -> str:
    return json.dumps({"comparators": network})


def bubble(n: int) -> list[tuple[int, int]]:
    return [(i, i + 1) for end in range(n - 1, 0, -1) for i in range(end)]


def batcher(n: int) -> list[tuple[int, int]]:
    network: list[tuple[int, int]] = []
    p = 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                network += [
                    (i + j, i + j + k)
                    for i in range(min(k, n - j - k))
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p)
                ]
            k //= 2
        p *= 2
    return network


def test_it_has_the_shape_of_verified_artefacts() -> None:
    domain = load("sortnet")
    assert isinstance(domain, Verified)
    assert isinstance(domain, Documented)
    assert isinstance(domain, Limited)
    assert domain.answer_limits.cpu_s == 5


@pytest.mark.parametrize("n", [8, 9, 16, 17])
def test_bubble_sort_has_one_half(n: int) -> None:
    outcome = make(None, {}).verify(Item("x", {"n": n}), answer(bubble(n)))
    assert outcome.score == 0.5
    assert outcome.details["size"] == n * (n - 1) // 2


@pytest.mark.parametrize(("n", "size"), [(8, 19), (16, 63)])
def test_a_merging_network_has_its_known_size(n: int, size: int) -> None:
    outcome = make(None, {}).verify(Item("x", {"n": n}), answer(batcher(n)))
    naive = n * (n - 1) // 2
    assert outcome.details == {"size": size, "unsorted": 0, "best": BEST[n]}
    assert outcome.score == 0.5 + 0.5 * (naive - size) / (naive - BEST[n])


def test_without_its_last_comparator_it_sorts_only_a_share() -> None:
    outcome = make(None, {}).verify(NINE, answer(bubble(9)[:-1]))
    assert outcome.score == 0.5 * (512 - int(outcome.details["unsorted"])) / 512
    assert 0.4 < outcome.score < 0.5
    assert "of 512 inputs" in outcome.reason


def test_a_network_without_comparators_sorts_the_n_plus_1_sorted_inputs() -> None:
    assert make(None, {}).verify(NINE, answer([])).score == 0.5 * 10 / 512


def test_a_network_below_the_best_known_size_is_called_a_record_claim() -> None:
    assert grade(9, 25, 24, 0) > 1.0
    assert "a record claim" in reason(9, 25, 24, 0)
    assert "record" not in reason(9, 25, 25, 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Expecting value"),
        ("[" * 100_000, "characters"),
        ("[" * 10_000, "nested"),
        ("{}", "is not"),
        ('{"comparators": [], "n": 9}', "is not"),
        ('{"comparators": [], "comparators": [[0, 1]]}', "twice"),
        ('{"comparators": {"0": 1}}', "no list"),
        ('{"comparators": [[1, 0]]}', "0 <= i < j < 9"),
        ('{"comparators": [[1, 1]]}', "0 <= i < j < 9"),
        ('{"comparators": [[-1, 1]]}', "0 <= i < j < 9"),
        ('{"comparators": [[0, 9]]}', "0 <= i < j < 9"),
        ('{"comparators": [[0, 1.0]]}', r"is not \[i, j\]"),
        ('{"comparators": [[false, true]]}', r"is not \[i, j\]"),
        ('{"comparators": [[0, 1, 2]]}', r"is not \[i, j\]"),
        ('{"comparators": ["01"]}', r"is not \[i, j\]"),
        ('{"comparators": [[0, NaN]]}', "NaN"),
        ('{"comparators": [[0, 1e400]]}', r"is not \[i, j\]"),
        ('{"comparators": [[0, ' + "1" * 5000 + "]]}", "digits"),
        ('{"comparators": [[0, 1e99999]]}', "digits"),
        (answer([(0, 1)] * 73), "at most 72"),
        (answer([(0, 1)] * 10_000), "characters"),
    ],
)
def test_what_is_no_network_is_invalid_and_says_why(text: str, says: str) -> None:
    domain = make(None, {})
    with pytest.raises(ValueError, match=says):
        public_scorer(domain)["read_network"](9, text)
    outcome = domain.verify(NINE, text)
    assert outcome.score == 0.0
    assert outcome.reason
    assert "\n" not in outcome.reason


def test_splits_have_no_number_of_wires_in_common() -> None:
    domain = make(None, {})
    wires = [item.inputs["n"] for split in SPLITS for item in domain.items(split)]
    assert len(set(wires)) == len(wires) == 13


def test_it_is_the_same_each_time() -> None:
    assert make(None, {}).data_sha256 == make(None, {}).data_sha256


@pytest.mark.parametrize("split", ["train", "val"])
def test_the_seed_sorts_and_has_room(split: Split) -> None:
    domain = make(None, {})
    answers = seed_answers(domain, split)
    assert answers == seed_answers(domain, split)
    outcomes = {i.id: domain.verify(i, answers[i.id]) for i in domain.items(split)}
    assert all(outcome.details["unsorted"] == 0 for outcome in outcomes.values())
    encoded = {id_: encode_outcome(outcome) for id_, outcome in outcomes.items()}
    assert 0.5 < domain.score(split, encoded) < 0.75


@pytest.mark.slow
def test_other_passes_and_more_changes_reach_93_percent_on_train() -> None:
    domain = make(None, {})
    source = domain.seed_files()["task_agent.py"] + (
        b"\nPASSES = [(8, 0), (4, 0), (2, 0), (1, 0)]\nDOUBLINGS, WORK = 14, 33\n"
    )
    answers = agent_of(source)
    items = domain.items("train")
    scores = [domain.verify(item, answers.forward(item.inputs)[0]).score for item in items]
    assert sum(scores) / len(scores) >= 0.93


def test_the_seed_answers_the_smoke_item_without_a_model() -> None:
    domain = make(None, {})
    smoke = domain.smoke_item()
    text, history = seed_agent(domain).forward(smoke.inputs)
    assert json.loads(text)["comparators"]
    assert domain.verify(smoke, text).score > 0.1
    assert (history, domain.calls_model) == ([], False)


def test_the_public_scorer_agrees_with_the_host() -> None:
    domain = make(None, {})
    score = public_scorer(domain)["score"]
    seed = seed_answers(domain, "train")
    for item in domain.items("train"):
        n = item.inputs["n"]
        for text in (seed[item.id], answer(batcher(n)), answer(bubble(n)[:-2]), "[]"):
            assert score(item.inputs, text) == domain.verify(item, text).score


def test_the_public_scorer_runs_alone(tmp_path: Path) -> None:
    (tmp_path / "score.py").write_bytes(make(None, {}).task_files()["score.py"])
    program = f"from score import score; print(score({{'n': 8}}, {answer(batcher(8))!r}))"
    command = [sys.executable, "-S", "-c", program]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout == "1.0\n"


@pytest.mark.parametrize("options", [{"rows_seed": "1"}, {"n": "4"}])
def test_there_are_no_options(options: dict[str, str]) -> None:
    with pytest.raises(DomainDataError, match="options: none"):
        make(None, options)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DomainDataError, match="reads no folder"):
        make(tmp_path, {})
