"""Seeds that tie, and scores at the best that there can be: what may still be said of arms."""

import json
import re
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from replication.report.build import Study, study_of
from replication.report.outputs.html import report_page
from replication.report.outputs.text import report_lines
from replication.report.records import Comparison, ExperimentReport
from tests.replication.report.runs import arm, errors
from tests.support.command import hyperspace

# Scores of 20 items, most of them at the top.
graded = st.sampled_from((0.0, 0.5, 0.85, 0.9, 0.95, 1.0, 1.0, 1.0))
pairs = st.lists(st.tuples(graded, graded), min_size=1, max_size=12)
Scores = list[tuple[float, float]]


def study(**bests: list[float]) -> Study:
    runs = [one for name in bests for one in arm(name, dict(enumerate(bests[name])))]
    return study_of(runs, "somewhere")


def report(**bests: list[float]) -> ExperimentReport:
    (only,) = study(**bests).report.experiments
    return only


def compared(scores: Scores) -> Comparison:
    """Two arms beside a third, so that something moves; only the two are returned."""
    first, second = [a for a, _ in scores], [b for _, b in scores]
    return report(a=first, b=second, c=[0.1] * len(scores)).comparisons[0]


@pytest.mark.long
@given(pairs)
@example([(1.0, 1.0)] * 10)
@example([(1.0, 0.95)] * 10)
@example([(1.0, 1.0)] * 4 + [(1.0, 0.95)] * 8)
def test_the_detectable_difference_is_above_0_or_not_known(scores: Scores) -> None:
    row = compared(scores)
    assert row.detectable is None or row.detectable > 0
    if len({round(a - b, 9) for a, b in scores}) == 1:
        assert (row.detectable, row.low, row.high) == (None, None, None)


@pytest.mark.long
@given(pairs)
def test_exchanging_the_arms_turns_the_signs_around_and_keeps_the_rest(scores: Scores) -> None:
    there, back = compared(scores), compared([(b, a) for a, b in scores])
    signed = ("difference", "rank_biserial", "cliffs_delta")
    for name in set(Comparison.__struct_fields__) - {*signed, "low", "high"}:
        assert getattr(back, name) == getattr(there, name)
    for name in signed:
        assert getattr(back, name) == -getattr(there, name)
    if there.low is not None and there.high is not None:
        assert (back.low, back.high) == (-there.high, -there.low)


@pytest.mark.long
@given(pairs, st.randoms())
def test_which_seed_has_which_pair_does_not_matter(scores: Scores, random: Random) -> None:
    assert compared(random.sample(scores, len(scores))) == compared(scores)


@pytest.mark.long
@given(pairs, st.sampled_from((0.5, 1.0)))
def test_a_tied_seed_more_lowers_no_p_and_separates_nothing(scores: Scores, tie: float) -> None:
    before, after = (
        report(a=[a for a, _ in rows], b=[b for _, b in rows]).comparisons[0]
        for rows in (scores, [*scores, (tie, tie)])
    )
    if before.p is not None and after.p is not None:
        assert (after.p, after.smallest_p) == (before.p, before.smallest_p)
        assert (after.verdict == "separable") == (before.verdict == "separable")


@pytest.mark.long
@given(pairs)
def test_not_separable_is_said_only_where_the_seeds_that_differ_could_reach_the_level(
    scores: Scores,
) -> None:
    (row,) = report(a=[a for a, _ in scores], b=[b for _, b in scores]).comparisons
    moved = sum(a != b for a, b in scores)
    if row.p is not None:
        assert row.smallest_p == min(1, 2 / 2**moved) <= row.p
        assert (row.verdict in ("separable", "not separable")) == (2 / 2**moved <= 0.05)


def test_ties_and_those_at_the_limit_are_counted_and_say_what_the_rest_can_reach() -> None:
    found = report(a=[1.0] * 5 + [0.9] * 5, b=[1.0] * 5 + [0.9, 0.8, 0.95, 1.0, 0.85])
    (row,) = found.comparisons
    assert (row.ties, row.ties_at_limit, found.limit) == (6, 5, 1.0)
    assert row.verdict == "cannot be separated with so many ties"
    assert found.verdict[-1] == (
        "By best validation score a - b: 6 of 10 seeds tie exactly, 5 of these at 1.000, the limit "
        "of this measure; the smallest p that the other 4 seeds can reach is 0.125, and it takes 6 "
        "that differ, so 15 seeds if as many tie."
    )
    assert not any("could have shown" in sentence for sentence in found.verdict)


def test_seeds_that_could_have_shown_a_difference_say_which() -> None:
    both = [0.5 + (0.1 if seed % 2 else -0.1) + seed / 100 for seed in range(8)]
    found = report(a=[*both, 0.5], b=[0.5] * 9)
    (row,) = found.comparisons
    assert (row.verdict, row.ties, row.ties_at_limit) == ("not separable", 1, 0)
    assert row.detectable is not None
    assert f"4 times in 5: a - b {row.detectable:.3f} or more." in found.verdict[1]
    assert found.verdict[-1] == "By best validation score a - b: 1 of 9 seeds tie exactly."


def test_arms_that_tie_on_every_seed_beside_one_that_moves_are_not_called_alike() -> None:
    found = report(a=[1.0] * 8, b=[1.0] * 8, c=[0.5 + seed / 20 for seed in range(8)])
    row = found.comparisons[0]
    assert (row.p, row.smallest_p, row.low, row.detectable) == (1.0, 1.0, None, None)
    assert row.verdict == "cannot be separated with so many ties"
    (sentence,) = (line for line in found.verdict if "a - b" in line)
    assert "8 of 8 seeds tie exactly, all of these at 1.000" in sentence
    assert "which difference could have been seen is not known; it takes 7 that differ" in sentence


def test_equal_differences_are_separable_and_their_scatter_is_not_known() -> None:
    found = report(a=[0.9] * 8, b=[0.8] * 8)
    (row,) = found.comparisons
    assert (row.verdict, row.scatters, row.detectable, row.low) == ("separable", False, None, None)
    assert any("seeds that differ do not scatter" in sentence for sentence in found.verdict)


@pytest.mark.parametrize("score", [1.0, 0.58, 0.0])
def test_a_measure_that_does_not_move_is_refused_in_one_sentence(score: float) -> None:
    found = report(a=[score] * 6, b=[score] * 6)
    (row,) = found.comparisons
    assert row.verdict == "not tested: every score is the same"
    numbers = ("difference", "low", "high", "p", "p_holm", "smallest_p", "detectable", "unpaired_p")
    assert {getattr(row, name) for name in numbers} == {None}
    assert {(one.val.median, one.val.low, one.val.coverage) for one in found.arms if one.val} == {
        (score, None, None)
    }
    (sentence,) = found.verdict
    assert sentence.startswith(f"By best validation score all 12 runs end at {score:.3f}")
    assert ("the limit of this measure: this task cannot show" in sentence) == (score == 1.0)


def test_errors_end_at_0() -> None:
    runs = [errors(name, seed, [0.9, 0.0]) for name in "ab" for seed in range(6)]
    (found,) = study_of(runs, "somewhere").report.experiments
    assert found.limit == 0.0
    assert "all 12 runs end at 0.000, the limit of this measure" in found.verdict[1]


def test_validation_at_its_limit_leaves_the_test_scores_to_be_compared() -> None:
    runs = [
        one
        for name, test in (("a", 0.9), ("b", 0.7))
        for seed in range(7)
        for one in arm(name, {seed: 1.0}, test=test + seed / 50 * (name == "a"))
    ]
    (found,) = study_of(runs, "somewhere").report.experiments
    assert [(row.measure, row.verdict) for row in found.comparisons] == [
        ("val", "not tested: every score is the same"),
        ("test", "separable"),
    ]


@pytest.mark.long
def test_terminal_json_and_page_say_the_same() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    for bests in (
        {"a": [1.0] * 6, "b": [1.0] * 6},
        {"a": [1.0] * 8, "b": [1.0] * 5 + [0.9, 0.95, 0.9]},
    ):
        at_limit = study(**bests)
        (found,) = at_limit.report.experiments
        text, page = " ".join(" ".join(report_lines(at_limit)).split()), report_page(at_limit)
        told = json.loads(msgspec.json.encode(found))
        for sentence in found.verdict:
            assert sentence in text
            assert sentence in page
            assert sentence in told["verdict"]
        assert told["comparisons"][0]["detectable"] is None
        assert found.comparisons[0].verdict in text
        assert found.comparisons[0].verdict in page


def test_the_command_refuses_a_table_of_scores_at_the_limit(tmp_path: Path) -> None:
    lines = [f"{name},{seed},1,1.0" for name in "ab" for seed in range(6)]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(["arm,seed,generation,val_score", *lines]))
    shown = " ".join(hyperspace("report", table).stdout.split())
    assert "all 12 runs end at 1.000, the limit of this measure: this task cannot show" in shown
    assert not re.search(r"\d\.\d{4}|\d\.\d{3} to \d", shown)  # no p, no interval


@pytest.mark.long
@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_scores_rounded_and_clipped_claim_a_difference_no_more_often_than_the_level(
    seeds: int,
) -> None:
    draw, rounds = Random(seeds), 100

    def best() -> float:
        return min(1.0, round(round(20 * draw.gauss(0.95, 0.06)) / 20, 9))

    claims = 0
    for _ in range(rounds):
        (row,) = report(
            a=[best() for _ in range(seeds)], b=[best() for _ in range(seeds)]
        ).comparisons
        claims += row.verdict == "separable"
    assert claims / rounds <= 0.05
