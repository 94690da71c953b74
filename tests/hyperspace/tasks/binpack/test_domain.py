import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split
from hyperspace.tasks.binpack.domain import BinpackDomain, make
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.limited import Limited
from hyperspace.tasks.shapes.outcome import encode_outcome
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.shapes.verified import Verified
from tests.support.tasks.artefacts import public_scorer, seed_answers
from tests.support.tasks.episodes import seed_agent

BEST_FIT = [-gap for gap in range(101)]


def answer(gap: list[Any], new: object = -1000) -> str:
    return json.dumps({"gap": gap, "new": new})


def weibull(domain: BinpackDomain, split: Split = "train") -> Item:
    return next(i for i in domain.items(split) if i.inputs["family"] == "weibull")


def test_it_has_the_shapes_that_it_needs() -> None:
    domain = load("binpack?rows_seed=3&form=gap")
    assert isinstance(domain, Verified)
    assert isinstance(domain, Documented)
    assert isinstance(domain, Renewable)
    assert isinstance(domain, Limited)
    assert domain.answer_limits.cpu_s == 5


def test_best_fit_is_about_as_far_off_as_is_known_and_new_bins_only_are_useless() -> None:
    domain = make(None, {})
    outcome = domain.verify(weibull(domain), answer(BEST_FIT))
    assert outcome.details["excess"] == pytest.approx(0.047, abs=0.007)
    assert outcome.score == 1 - float(outcome.details["excess"]) / 0.08
    assert domain.verify(weibull(domain), answer([0] * 101, 1)).score == 0.0


def test_a_curve_with_a_dip_reaches_what_climbing_is_known_to_reach() -> None:
    domain = make(None, {})
    corners = [(0, 1.0), (4, 0.6), (6, -1.0), (20, -1.0), (25, 0.3), (50, 0.4), (100, 0.2)]
    gap = [
        low + (high - low) * (g - a) / (b - a)
        for (a, low), (b, high) in pairwise(corners)
        for g in range(a, b)
    ]
    excesses = [
        domain.verify(item, answer([*gap, 0.2], 0)).details["excess"]
        for item in domain.items("val")
        if item.inputs["family"] == "weibull"
    ]
    assert sum(map(float, excesses)) / len(excesses) < 0.026


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Expecting value"),
        ("[" * 10_000, "nested"),
        ("[]", "is not"),
        (answer(BEST_FIT)[:-1] + ', "table": 1}', "is not"),
        ('{"new": 1, "gap": [], "new": 2}', "twice"),
        (answer(BEST_FIT[:-1]), "list of 101"),
        (answer([*BEST_FIT, 0]), "list of 101"),
        (answer([*BEST_FIT[:-1], True]), "finite"),
        (answer([*BEST_FIT[:-1], "1"]), "finite"),
        (answer([*BEST_FIT[:-1], None]), "finite"),
        (answer(BEST_FIT, None), "finite"),
        (answer(BEST_FIT, float("nan")), "NaN"),
        (answer(BEST_FIT, float("inf")), "Infinity"),
        (answer(BEST_FIT)[:-1] + "e400}", "finite"),
        (answer(BEST_FIT)[:-1] + "e99999}", "digits"),
        (answer(BEST_FIT, int("9" * 21)), "digits"),
        (answer([1] * 10_000), "characters"),
    ],
)
def test_what_is_no_policy_is_invalid_and_says_why(text: str, says: str) -> None:
    domain = make(None, {})
    with pytest.raises(ValueError, match=says):
        public_scorer(domain)["read_policy"](100, text)
    outcome = domain.verify(weibull(domain), text)
    assert outcome.score == 0.0
    assert outcome.reason
    assert "\n" not in outcome.reason


def test_equal_options_give_equal_samples_and_scores() -> None:
    first, again, other = (make(None, {"rows_seed": seed}) for seed in "112")
    assert first.data_sha256 == again.data_sha256 != other.data_sha256
    assert first.items("test") == again.items("test")
    text = answer(BEST_FIT)
    assert first.verify(weibull(first), text) == again.verify(weibull(again), text)
    assert first.verify(weibull(first), text) != other.verify(weibull(other), text)


def test_no_two_items_have_a_sample_in_common() -> None:
    domain = make(None, {})
    epochs = [domain.renewed(epoch) for epoch in (1, 2)]
    items = [item for split in SPLITS for item in domain.items(split)]
    items += [item for epoch in epochs for item in epoch.items("val")]
    assert len({tuple(item.inputs["sample"]) for item in items}) == len(items)
    assert len({item.id for item in items}) == len(items)


def test_an_epoch_changes_validation_alone_and_the_first_is_the_domain_itself() -> None:
    domain = make(None, {})
    later = domain.renewed(3)
    for split in ("train", "test"):
        assert later.items(split) == domain.items(split)
    assert later.items("val") != domain.items("val")
    assert domain.renewed(3).items("val") == later.items("val")
    assert later.renewed(0).items("val") == domain.items("val")
    assert (later.name, later.data_sha256) == (domain.name, domain.data_sha256)
    item = weibull(later, "val")
    assert later.verify(item, answer(BEST_FIT)).details["excess"] == pytest.approx(0.047, abs=0.008)


def test_test_has_longer_instances_and_other_scales() -> None:
    domain = make(None, {})
    means = [
        sum(item.inputs["sample"]) / 200
        for item in domain.items("test")
        if item.inputs["family"] == "weibull"
    ]
    train = sum(weibull(domain).inputs["sample"]) / 200
    assert min(means) < 0.95 * train < 1.05 * train < max(means)


@pytest.mark.parametrize("split", ["train", "val"])
def test_the_seed_is_worth_no_more_than_best_fit_and_has_room(split: Split) -> None:
    domain = make(None, {})
    answers = seed_answers(domain, split)
    assert answers == seed_answers(domain, split)
    encoded = {
        item.id: encode_outcome(domain.verify(item, answers[item.id]))
        for item in domain.items(split)
    }
    assert 0.15 < domain.score(split, encoded) < 0.5


def test_the_seed_answers_the_smoke_item_without_a_model() -> None:
    domain = make(None, {})
    smoke = domain.smoke_item()
    text, history = seed_agent(domain).forward(smoke.inputs)
    assert len(json.loads(text)["gap"]) == 101
    assert (history, domain.calls_model) == ([], False)


def test_the_public_scorer_estimates_the_host_s_score_on_instances_of_its_own() -> None:
    domain = make(None, {})
    score = public_scorer(domain)["score"]
    pairs = [
        (score(item.inputs, text), domain.verify(item, text).score)
        for item in domain.items("train")
        for text in (answer(BEST_FIT + [-101] * (item.inputs["capacity"] - 100)),)
    ]
    assert all(abs(estimate - true) < 0.2 for estimate, true in pairs)
    assert all(estimate != true for estimate, true in pairs)
    mean_estimate, mean_true = (sum(scores) / len(pairs) for scores in zip(*pairs, strict=True))
    assert mean_estimate == pytest.approx(mean_true, abs=0.1)
    assert score(weibull(domain).inputs, "[]") == 0.0


def test_the_public_scorer_runs_alone(tmp_path: Path) -> None:
    domain = make(None, {})
    (tmp_path / "score.py").write_bytes(domain.task_files()["score.py"])
    inputs, text = weibull(domain).inputs, answer(BEST_FIT)
    program = f"from score import score; print(score({inputs!r}, {text!r}))"
    command = [sys.executable, "-S", "-c", program]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(result.stdout) == public_scorer(domain)["score"](inputs, text)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rows_seed": "-1"}, "Expected `int` >= 0 - at `\\$.rows_seed`"),
        ({"form": "table"}, "Invalid enum value 'table' - at `\\$.form`"),
        ({"rows": "1"}, "unknown field `rows`; options: rows_seed, form"),
    ],
)
def test_an_option_that_does_not_fit_is_told_what_does(options: dict[str, str], says: str) -> None:
    with pytest.raises(DomainDataError, match=says):
        make(None, options)
