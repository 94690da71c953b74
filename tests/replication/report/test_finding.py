"""The sentence on sharing: what was found by the measure that was set, and how sure it is."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from hyperspace.options.fleet import TeamMeasure
from replication.report.build import study_of
from replication.report.outputs.text import report_lines
from replication.report.records import ExperimentReport
from tests.replication.report.fleets import arms_by_test, team

SEEDS = 12


def noisy(mean: float, stream: int) -> list[float]:
    draw = random.Random(stream)
    return [round(mean + draw.gauss(0, 0.01), 4) for _ in range(SEEDS)]


def report(tests: Mapping[str, Sequence[float]], **more: Any) -> ExperimentReport:
    return study_of(arms_by_test(tests, **more), "s").report.experiments[0]


def test_a_gain_is_told_with_its_size_and_how_sure_it_is() -> None:
    told = report({"f": noisy(0.75, 1), "f_none": noisy(0.70, 2), "f_alone": noisy(0.74, 3)})
    first, second, *_, last = told.finding
    (row,) = [c for c in told.comparisons if (c.measure, c.second) == ("test", "f_none")]
    assert row.verdict == "separable"
    assert first == (
        f"Sharing raised the test score of the team's best agent by {row.difference:.3f} against "
        f"f_none (95% interval {row.low:.3f} to {row.high:.3f}, 12 seeds, p {row.p_holm:.4f} after "
        "correction)."
    )
    assert "f_alone, the best control at equal cost" in second
    assert "the measure that was set before the runs were played" in last


def test_a_loss_is_told_as_one() -> None:
    told = report({"f": noisy(0.65, 1), "f_none": noisy(0.70, 2)})
    assert told.finding[0].startswith("Sharing lowered the test score")


def test_what_cannot_be_told_is_said_to_be_so_with_what_would_have_been() -> None:
    told = report({"f": noisy(0.70, 1), "f_none": noisy(0.70, 2)})
    assert told.finding[0].startswith("Whether sharing changes the test score")
    assert "would be found 4 times in 5" in told.finding[0]


def test_too_few_seeds_tell_nothing() -> None:
    told = report({"f": [0.8, 0.9], "f_none": [0.5, 0.5]})
    assert told.finding[0].startswith("Nothing can be told of sharing from 2 seeds")


def test_without_an_arm_that_shares_nothing_there_is_no_finding() -> None:
    told = report({"f": noisy(0.8, 1), "f_placebo": noisy(0.7, 2)})
    assert told.finding[0] == ("Nothing can be told of sharing: there is no arm without it (none).")


def test_a_repeated_arm_is_no_rival_and_says_what_chance_does() -> None:
    told = report({"f": noisy(0.75, 1), "f_none": noisy(0.70, 2), "f_aa": noisy(0.75, 4)})
    assert {row.second for row in told.comparisons} == {"f_none"}
    (repeat,) = told.repeats
    assert (repeat.first, repeat.second, repeat.p) == ("f", "f_aa", repeat.p_holm)
    (sentence,) = [line for line in told.finding if line.startswith("A/A")]
    assert "which holds 0, as it should" in sentence
    assert {row.measure for row in told.noise} == {"val", "test", "area"}


def test_the_control_that_did_best_is_the_one_that_is_told_of() -> None:
    tests = {"f": noisy(0.75, 1), "f_none": noisy(0.7, 2), "f_copies": noisy(0.8, 3)}
    told = report(tests | {"f_alone": noisy(0.6, 4)})
    assert told.finding[1].startswith("It ends below f_copies, the best control at equal cost, by")


def test_of_generations_to_a_threshold_fewer_are_better() -> None:
    measure = TeamMeasure("time_to", 0.6)
    runs = [
        team(arm, seed, [[0.5] * (at + seed % 3) + [0.7] * (9 - at - seed % 3)], [0.7], measure)
        for arm, at in (("f", 2), ("f_none", 6))
        for seed in range(1, SEEDS)
    ]
    told = study_of(runs, "s").report.experiments[0]
    assert told.primary == "time_to"
    assert told.finding[0].startswith(
        "Sharing lowered the number of generations to the threshold by 4.000 against f_none"
    )
    assert any("By generations to the threshold f is better than f_none" in v for v in told.verdict)


def test_without_a_measure_that_was_set_nothing_is_called_primary() -> None:
    told = report({"f": noisy(0.75, 1), "f_none": noisy(0.70, 2)}, measure=None)
    assert (told.primary, told.finding) == (None, ())
    assert {row.measure for row in told.comparisons} == {"val", "test"}


def test_the_finding_stands_first_and_tables_say_which_measure_was_set() -> None:
    study = study_of(arms_by_test({"f": noisy(0.75, 1), "f_none": noisy(0.7, 2)}), "s")
    lines = list(report_lines(study))
    assert lines.index("Finding") < lines.index("Verdict")
    tables = [line for line in lines if line.startswith("Arms compared seed by seed")]
    assert tables == [
        "Arms compared seed by seed: test score, set beforehand",
        "Arms compared seed by seed: best validation score, secondary",
        "Arms compared seed by seed: area under the best validation score so far, secondary",
    ]
