"""A comparison of levels: what a median, a paired difference and a verdict are made of."""

import csv
import io
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from hyperspace.runs.records import Run
from replication.level_comparison.comparing import Hardness, comparison_of
from replication.level_comparison.outputs import comparison_lines, runs_csv
from replication.level_comparison.records import Contrast, LevelComparison
from replication.report.grouping import experiments_of
from tests.replication.report.runs import run

LOOP = {1: 0.5, 2: 0.6, 3: 0.4, 4: 0.5, 5: 0.55}


def level(arm: str, tests: Mapping[int, float], **more: object) -> list[Run]:
    where = {"domain": "parcels", "experiment": "levels", **more}
    return [run(arm, seed, [0.1, test], test=test, **where) for seed, test in tests.items()]


def compared(*arms: list[Run]) -> LevelComparison:
    return comparison_of(experiments_of(each for arm in arms for each in arm), 300)


def contrast(comparison: LevelComparison, first: str, second: str) -> Contrast:
    return next(c for c in comparison.contrasts if (c.first, c.second) == (first, second))


def words(comparison: LevelComparison) -> str:
    return " ".join(" ".join(comparison_lines(comparison)).split())


def test_a_level_that_is_better_on_each_of_five_seeds_is_higher() -> None:
    feedback = {seed: test + 0.02 * seed for seed, test in LOOP.items()}
    row = contrast(compared(level("loop", LOOP), level("feedback", feedback)), "feedback", "loop")
    assert row.verdict == "higher"
    assert (row.above, row.ties, row.p) == (5, 0, 0.0625)
    assert row.difference is not None
    assert (row.difference.median, row.difference.low, row.difference.high) == (0.06, 0.02, 0.1)


def test_pairs_are_made_by_seed_and_not_by_rank() -> None:
    # The same five scores on other seeds: equal medians, and differences of both signs.
    turned = dict(zip(LOOP, [*LOOP.values()][::-1], strict=True))
    row = contrast(compared(level("loop", LOOP), level("feedback", turned)), "feedback", "loop")
    assert row.verdict == "not separable"
    assert row.difference is not None
    assert row.difference.low == pytest.approx(-0.1)  # pyright: ignore[reportUnknownMemberType]


def test_one_seed_that_differs_from_the_others_makes_two_levels_not_separable() -> None:
    feedback = {seed: test + (0.1 if seed < 5 else -0.01) for seed, test in LOOP.items()}
    row = contrast(compared(level("loop", LOOP), level("feedback", feedback)), "feedback", "loop")
    assert (row.verdict, row.above) == ("not separable", 4)


def test_twenty_seeds_separate_as_five_that_agree_do() -> None:
    loop = {seed: 0.5 + seed / 1000 for seed in range(1, 21)}
    ahead = {seed: test + (seed - 3) / 1000 for seed, test in loop.items()}
    row = contrast(compared(level("loop", loop), level("feedback", ahead)), "feedback", "loop")
    assert (row.verdict, row.above, row.ties) == ("higher", 17, 1)


def test_few_seeds_separate_nothing_whatever_they_say() -> None:
    some = {seed: test + 0.3 for seed, test in LOOP.items() if seed < 4}
    row = contrast(compared(level("loop", LOOP), level("feedback", some)), "feedback", "loop")
    assert (row.verdict, row.seeds) == ("too few seeds", (1, 2, 3))


def test_where_lower_is_better_the_lower_one_is_the_better_one() -> None:
    loop = level("loop", LOOP, higher_is_better=False)
    feedback = level("feedback", {s: t - 0.1 for s, t in LOOP.items()}, higher_is_better=False)
    row = contrast(compared(loop, feedback), "feedback", "loop")
    assert (row.verdict, row.above) == ("lower", 5)


def test_levels_stand_in_their_order_with_controls_marked_and_other_arms_left_out() -> None:
    arms = ("arm_a_full", "feedback_shuffled_advice", "loop", "loop_best_of_n", "dgm")
    comparison = compared(*(level(arm, LOOP) for arm in arms))
    told = [(row.level, row.control) for row in comparison.summaries]
    assert told == [
        ("best of N", True),
        ("loop", False),
        ("shuffled advice", True),
        ("hyperagent", False),
    ]
    asked = [(row.first, row.second) for row in comparison.contrasts]
    assert asked == [("loop", "best of N"), ("hyperagent", "loop")]


def test_the_table_has_a_row_for_each_run_and_the_text_one_for_each_level() -> None:
    comparison = compared(level("loop", LOOP), level("feedback", LOOP))
    rows = list(csv.DictReader(io.StringIO(runs_csv(comparison).decode())))
    assert [(row["level"], row["seed"], row["test"]) for row in rows[:2]] == [
        ("loop", "1", "0.5"),
        ("loop", "2", "0.6"),
    ]
    told = words(comparison)
    assert told.startswith("Levels at a budget of 300 calls")
    assert "test feedback - loop 5 +0.000 0.000 to 0.000 0 of 5 1.0000 not separable" in told


def test_one_contrast_needs_no_correction_and_where_there_is_none_nothing_is_said_of_any() -> None:
    every = compared(level("loop", LOOP), level("feedback", LOOP), level("arm_a_full", LOOP))
    assert "for the 3 contrasts" in words(every)
    pair = words(compared(level("loop", LOOP), level("feedback", LOOP)))
    assert "Levels compared seed by seed" in pair
    assert "higher or lower" in pair
    assert "correction" not in pair
    alone = words(compared(level("loop", LOOP)))
    for part in ("seed by seed", "higher or lower", "contrast", "correction"):
        assert part not in alone
    assert "a probability of 93.8% or more" in alone


def test_a_smaller_drop_on_the_adversarial_suite_is_the_better_one() -> None:
    """Levels whose code does worse on test may lose less of it; both are told."""
    hardness = {
        run.source: Hardness(run.test - (0.3 if arm == "loop" else 0.3 - 0.05 * run.seed), 40)
        for arm in ("loop", "arm_a_full")
        for run in level(arm, LOOP)
        if run.test is not None
    }
    runs = [each for arm in ("loop", "arm_a_full") for each in level(arm, LOOP)]
    comparison = comparison_of(experiments_of(runs), 300, (), hardness)
    loop, hyperagent = comparison.summaries
    assert loop.drop is not None
    assert hyperagent.drop is not None
    assert (loop.drop.median, hyperagent.drop.median) == (pytest.approx(0.3), pytest.approx(0.15))
    assert {run.cases for run in comparison.runs} == {40}
    told = "\n".join(comparison_lines(comparison))
    assert "advers.    drop" in told
    assert "(40 to 40 cases)" in told


def test_two_models_are_compared_each_for_itself() -> None:
    other = [replace(each, experiment="levels_b") for each in level("loop", LOOP)]
    comparison = compared(level("loop", LOOP), other)
    assert [row.experiment for row in comparison.summaries] == ["levels", "levels_b"]
    assert "parcels levels_b" in "\n".join(comparison_lines(comparison))
