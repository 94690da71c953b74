import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split
from hyperspace.tasks.packing.domain import finding, make
from hyperspace.tasks.packing.references import REFERENCES
from hyperspace.tasks.packing.score import closeness
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.limited import Limited
from hyperspace.tasks.shapes.outcome import encode_outcome
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.shapes.verified import Verified
from tests.support.tasks.artefacts import public_scorer, seed_answers
from tests.support.tasks.episodes import agent_of, seed_agent


def grid(count: int, columns: int) -> list[list[float]]:
    """Equal circles on a square grid, one decimal place each."""
    radius = 0.5 / columns
    spots = [round(radius * (2 * k + 1), 6) for k in range(columns)]
    return [[spots[k % columns], spots[k // columns], radius] for k in range(count)]


def answer(circles: object) -> str:
    return json.dumps({"circles": circles})


TEN = Item("ten", {"n": 10, "width": 1.0, "height": 1.0, "seed": 1})
GRID = grid(10, 5)
ANSWER = answer(GRID)


def changed(index: int, axis: int, text: str) -> str:
    """The answer with one number in another's place."""
    circles: list[list[object]] = [list(circle) for circle in GRID]
    circles[index][axis] = "?"
    return answer(circles).replace('"?"', text)


def test_it_has_the_shapes_that_it_needs() -> None:
    domain = load("packing?rows_seed=3")
    assert isinstance(domain, Verified)
    assert isinstance(domain, Documented)
    assert isinstance(domain, Renewable)
    assert isinstance(domain, Limited)
    assert domain.answer_limits.cpu_s == 5


def test_a_grid_of_touching_circles_is_valid_and_its_sum_exact() -> None:
    outcome = make(None, {}).verify(TEN, ANSWER)
    assert outcome.details["sum"] == 1.0
    assert outcome.details["ratio"] == pytest.approx(1 / REFERENCES[10, 1.0])
    assert 0.0 < outcome.score < 0.2


@pytest.mark.parametrize(
    ("ratio", "score"), [("0.9", 0.2), ("0.99", 0.4), ("0.999", 0.6), ("1", 1.0), ("0", 0.0)]
)
def test_each_decimal_place_is_worth_a_fifth(ratio: str, score: float) -> None:
    assert closeness(Fraction(ratio), 1.0) == pytest.approx(score, abs=1e-4)


def test_a_sum_above_the_reference_is_a_record_claim_and_its_ratio_is_not_clipped() -> None:
    outcome = finding(Fraction("2.7"), 2.6, is_public=True)
    assert outcome.score == 1.0
    assert float(outcome.details["ratio"]) > 1.03
    assert outcome.details["public_record"] == 1
    assert "record claim" in outcome.reason
    assert "record claim" not in finding(Fraction("2.6"), 2.6, is_public=False).reason


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Expecting value"),
        ("[" * 10_000, "nested"),
        ("[]", "is not"),
        (ANSWER[:-1] + ', "n": 10}', "is not"),
        (ANSWER[:-1] + ', "circles": []}', "twice"),
        (answer({"0": GRID}), "not 10 circles"),
        (answer(GRID[:-1]), "not 10 circles"),
        (answer(grid(11, 5)), "not 10 circles"),
        (answer([*GRID[:-1], [0.5, 0.5]]), "circle 9 is not"),
        (answer([*GRID[:-1], "0.9"]), "circle 9 is not"),
        (changed(9, 2, "NaN"), "NaN"),
        (changed(9, 2, "Infinity"), "Infinity"),
        (changed(9, 2, "1e400"), "circle 9 is not inside"),
        (changed(9, 2, "1e99999"), "digits"),
        (changed(9, 2, "0.0000000000000000001"), "more than 17 digits"),
        (changed(9, 2, "1" * 21), "digits"),
        (changed(9, 2, "true"), "something else"),
        (changed(9, 2, '"0.1"'), "something else"),
        (changed(9, 2, "null"), "something else"),
        (changed(9, 2, "-0.1"), "radius of circle 9"),
        (changed(9, 2, "0"), "radius of circle 9"),
        (changed(0, 0, "0.099999999999999"), "circle 0 is not inside"),
        (changed(4, 0, "0.900000000000001"), "circle 4 is not inside"),
        (changed(0, 1, "0.099999999999999"), "circle 0 is not inside"),
        (changed(3, 0, "0.699999999999999"), "circles 2 and 3 overlap"),
        (changed(7, 2, "0.100000000000001"), "circles 2 and 7 overlap"),
        (answer(GRID * 1_000), "characters"),
    ],
)
def test_what_is_no_packing_is_invalid_and_says_why(text: str, says: str) -> None:
    domain = make(None, {})
    with pytest.raises(ValueError, match=says):
        public_scorer(domain)["sum_of_radii"](TEN.inputs, text)
    outcome = domain.verify(TEN, text)
    assert outcome.score == 0.0
    assert outcome.reason
    assert "\n" not in outcome.reason


def test_a_number_with_a_huge_negative_exponent_is_exact_too() -> None:
    tiny = make(None, {}).verify(TEN, changed(9, 2, "1e-999"))
    assert tiny.details["sum"] == 0.9


def test_a_rectangle_bounds_by_its_own_sides() -> None:
    item = Item("x", {"n": 14, "width": 1.25, "height": 0.8, "seed": 1})
    domain = make(None, {})
    circles = [[0.05 + 0.1 * k, 0.05, 0.05] for k in range(12)] + [[0.05, 0.2, 0.05]]
    rounded = [[round(part, 3) for part in circle] for circle in circles]
    assert domain.verify(item, answer([*rounded, [1.2, 0.75, 0.05]])).score > 0
    assert "inside" in domain.verify(item, answer([*rounded, [1.2, 0.76, 0.05]])).reason
    assert "inside" in domain.verify(item, answer([*rounded, [1.21, 0.75, 0.05]])).reason


def test_every_item_has_a_reference_and_rectangles_are_in_test_alone() -> None:
    domain = make(None, {})
    widths: dict[Split, set[float]] = {}
    for split in SPLITS:
        inputs = [item.inputs for item in domain.items(split)]
        assert all((one["n"], one["width"]) in REFERENCES for one in inputs)
        assert all(one["width"] * one["height"] == 1 for one in inputs)
        widths[split] = {one["width"] for one in inputs}
    assert (len(widths["train"]), len(widths["val"]), len(widths["test"])) == (1, 1, 5)


def test_equal_options_give_equal_items_and_splits_have_no_case_in_common() -> None:
    first, again, other = (make(None, {"rows_seed": seed}) for seed in "112")
    assert first.data_sha256 == again.data_sha256 != other.data_sha256
    items = [item for split in SPLITS for item in first.items(split)]
    assert len({(item.inputs["n"], item.inputs["width"]) for item in items}) == len(items) == 22


def test_an_epoch_changes_the_seeds_of_validation_alone() -> None:
    domain = make(None, {})
    later = domain.renewed(3)
    for split in ("train", "test"):
        assert later.items(split) == domain.items(split)
    seeds = [
        {item.inputs["seed"] for item in domain.renewed(epoch).items("val")} for epoch in range(4)
    ]
    assert len(set[int]().union(*seeds)) == 24
    assert domain.renewed(0).items("val") == domain.items("val")
    assert {item.id for item in later.items("val")}.isdisjoint(i.id for i in domain.items("val"))
    assert later.data_sha256 == domain.data_sha256


@pytest.mark.parametrize("split", ["train", "val"])
def test_the_seed_packs_and_has_room(split: Split) -> None:
    domain = make(None, {})
    answers = seed_answers(domain, split)
    assert answers == seed_answers(domain, split)
    outcomes = {item.id: domain.verify(item, answers[item.id]) for item in domain.items(split)}
    assert all(outcome.score > 0.1 for outcome in outcomes.values())
    encoded = {id_: encode_outcome(outcome) for id_, outcome in outcomes.items()}
    assert 0.15 < domain.score(split, encoded) < 0.25


def test_more_steps_of_the_seed_s_descent_come_near_the_public_record() -> None:
    domain = make(None, {})
    source = domain.seed_files()["task_agent.py"] + b"\nLEVELS, STEPS, KEPT = 4, 200, 0.9\n"
    item = next(item for item in domain.items("test") if item.inputs["n"] == 26)
    outcome = domain.verify(item, agent_of(source).forward(item.inputs)[0])
    assert float(outcome.details["ratio"]) > 0.98
    assert outcome.details["public_record"] == 1


@pytest.mark.slow
def test_more_levels_and_descents_reach_45_percent_and_99_of_the_public_record() -> None:
    domain = make(None, {})
    source = domain.seed_files()["task_agent.py"] + (
        b"\nLEVELS, STEEPER, STEPS, KEPT = 5, 6.0, 100, 0.9\nDOUBLINGS, JITTER = 4, 0.5\n"
    )
    answers = agent_of(source)
    train, test = domain.items("train"), domain.items("test")
    scores = [domain.verify(item, answers.forward(item.inputs)[0]).score for item in train]
    assert sum(scores) / len(scores) >= 0.45
    item = next(item for item in test if item.inputs["n"] == 26)
    outcome = domain.verify(item, answers.forward(item.inputs)[0])
    assert float(outcome.details["ratio"]) >= 0.99


def test_the_seed_answers_the_smoke_item_without_a_model() -> None:
    domain = make(None, {})
    smoke = domain.smoke_item()
    text, history = seed_agent(domain).forward(smoke.inputs)
    assert len(json.loads(text)["circles"]) == 5
    assert domain.verify(smoke, text).score > 0.1
    assert (history, domain.calls_model) == ([], False)


def test_the_public_scorer_agrees_with_the_host() -> None:
    domain = make(None, {})
    score = public_scorer(domain)["score"]
    seed = seed_answers(domain, "train")
    for item in domain.items("train"):
        n = item.inputs["n"]
        for text in (seed[item.id], answer(grid(n, 8)), answer(grid(n, 6)), "[]"):
            assert score(item.inputs, text) == domain.verify(item, text).score


def test_the_public_scorer_runs_alone(tmp_path: Path) -> None:
    domain = make(None, {})
    (tmp_path / "score.py").write_bytes(domain.task_files()["score.py"])
    program = f"from score import score; print(score({TEN.inputs!r}, {ANSWER!r}))"
    command = [sys.executable, "-S", "-c", program]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(result.stdout) == domain.verify(TEN, ANSWER).score


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rows_seed": "-1"}, "Expected `int` >= 0 - at `\\$.rows_seed`"),
        ({"n": "26"}, "unknown field `n`; options: rows_seed"),
    ],
)
def test_an_option_that_does_not_fit_is_told_what_does(options: dict[str, str], says: str) -> None:
    with pytest.raises(DomainDataError, match=says):
        make(None, options)
