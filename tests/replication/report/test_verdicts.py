"""What a report may say of arms, and what it may not."""

from msgspec.structs import replace

from hyperspace.runs.records import Run, Spent
from replication.report.build import study_of
from replication.report.outputs.cells import medians, rates
from replication.report.records import ExperimentReport
from tests.replication.report.runs import arm, run


def report(*runs: Run, against: str | None = None) -> ExperimentReport:
    (only,) = study_of(runs, "somewhere", against=against).report.experiments
    return only


def rising(count: int, start: float, step: float = 0.01) -> dict[int, float]:
    return {seed: round(start + step * seed, 3) for seed in range(count)}


def test_enough_seeds_with_one_direction_are_separable() -> None:
    experiment = report(*arm("a", rising(8, 0.5)), *arm("b", rising(8, 0.2, 0.02)))
    (comparison,) = experiment.comparisons
    assert (comparison.verdict, comparison.p) == ("separable", 2 / 2**8)
    assert comparison.low is not None
    assert comparison.low > 0
    assert experiment.verdict[0].startswith("By best validation score a is above b by 0.")


def test_one_seed_has_no_interval_and_the_report_says_so() -> None:
    experiment = report(*arm("a", {1: 0.85}, test=0.9), *arm("b", {1: 0.8, 2: 0.9}))
    rows = {row[0]: row[1:] for row in medians(experiment.arms).rows}
    assert rows["a"] == ("1", "0.850", "-", "-", "0.900", "-", "0.850")
    assert rows["b"][2:4] == ("0.800 to 0.900", "50.0%")
    assert any(
        note.startswith("One seed has no interval") and "a." in note for note in experiment.notes
    )


def test_enough_seeds_without_a_direction_are_not_separable_and_say_what_was_detectable() -> None:
    both = {seed: 0.5 + (0.1 if seed % 2 else -0.1) for seed in range(8)}
    experiment = report(*arm("a", both), *arm("b", dict.fromkeys(range(8), 0.5)))
    (comparison,) = experiment.comparisons
    assert comparison.verdict == "not separable"
    assert comparison.detectable is not None
    assert comparison.detectable > 0.1
    assert not any("cannot be separated" in sentence for sentence in experiment.verdict)


def test_too_few_seeds_are_another_sentence_whatever_the_scores() -> None:
    experiment = report(*arm("a", rising(5, 0.9)), *arm("b", rising(5, 0.1)))
    (comparison,) = experiment.comparisons
    assert comparison.verdict == "cannot be separated with this many seeds"
    assert comparison.rank_biserial == 1
    assert any("it takes at least: 6." in sentence for sentence in experiment.verdict)


def test_comparing_with_one_arm_only_needs_fewer_seeds() -> None:
    runs = [
        one
        for at in range(5)
        for one in arm(f"arm{at}", rising(8, 0.1 + 0.1 * at, 0.001 * (at + 1)))
    ]
    every, against = report(*runs), report(*runs, against="arm0")
    assert {one.verdict for one in every.comparisons} == {
        "cannot be separated with this many seeds"
    }
    assert len(against.comparisons) == 4
    assert {one.verdict for one in against.comparisons} == {"separable"}


def test_only_seeds_in_common_are_paired() -> None:
    found = report(*arm("a", {1: 0.5, 2: 0.6}), *arm("b", {2: 0.5, 3: 0.7}), *arm("c", {9: 0.1}))
    seeds = {(one.first, one.second): one.seeds for one in found.comparisons}
    assert seeds == {("a", "b"): (2,), ("a", "c"): (), ("b", "c"): ()}
    assert found.comparisons[1].verdict == "no seeds in common"


def test_experiments_are_never_compared_with_each_other() -> None:
    runs = [*arm("a", {1: 0.5}, domain="x"), *arm("a", {1: 0.6}, domain="y")]
    experiments = study_of(runs, "somewhere").report.experiments
    assert [one.domain for one in experiments] == ["x", "y"]
    assert not any(one.comparisons for one in experiments)


def test_test_scores_are_compared_for_themselves() -> None:
    found = report(run("a", 1, [0.1, 0.5], test=0.4), run("b", 1, [0.1, 0.6], test=0.7))
    by_measure = {one.measure: one.difference for one in found.comparisons}
    assert by_measure == {"val": -0.1, "test": -0.3}


def test_unequal_budgets_are_flagged_and_unknown_ones_named() -> None:
    cheap, dear = Spent(100, 1000, 1.0), Spent(300, 1000, None)
    found = report(run("a", 1, [0.1, 0.5], spent=cheap), run("b", 1, [0.1] * 20, spent=dear))
    assert any("candidates a run (median) from 1 (a) to 19 (b)" in one for one in found.budget)
    assert any("calls a run (median) from 100 (a) to 300 (b)" in one for one in found.budget)
    assert not any(one.startswith("Unequal budgets: tokens") for one in found.budget)
    assert any(one.startswith("Not known of every run: usd") for one in found.budget)


def test_how_much_of_validation_was_in_sight_is_said() -> None:
    first, second = (run("a", seed, [0.1, 0.5], validation_bits=7.5) for seed in (1, 2))
    sentence = "Agents could see {} bits of validation in a run at most."
    assert sentence.format("7.5") in report(first, second).verdict
    other = run("b", 1, [0.1, 0.5], validation_bits=104.8)
    assert sentence.format("7.5 to 104.8 (by arm)") in report(first, second, other).verdict
    assert "validation in a run" not in " ".join(report(run("a", 7, [0.1, 0.5])).verdict)


def test_an_exposed_test_split_is_said() -> None:
    found = report(run("a", 7, [0.1, 0.5], test=0.4, test_exposed=True))
    assert any("a: test_exposed with seed 7" in sentence for sentence in found.verdict)


def test_runs_under_way_are_not_told_as_ended() -> None:
    ended = arm("a", {1: 0.8, 2: 0.8}, finished=True)
    under_way = arm("b", {1: 0.8, 2: 0.8}, finished=False)
    first, *_, refused = report(*ended, *under_way).verdict
    assert first.startswith("Not finished yet: 2 of 4 runs (b with seeds 1, 2).")
    assert refused.startswith(
        "By best validation score all 4 runs, 2 of them not finished yet, stand at 0.800: equal "
    )
    *_, refused = report(*ended, *arm("b", {1: 0.8}, finished=True)).verdict
    assert refused.startswith("By best validation score all 3 runs end at 0.800: scores that do")


def test_an_aa_arm_is_a_control_and_gives_the_noise_floor() -> None:
    found = report(
        *arm("arm_a_full", {1: 0.50, 2: 0.60}, terms={"selection": "best"}),
        *arm("arm_c", {1: 0.54, 2: 0.60}, terms={"selection": "random"}),
        *arm("aa", {1: 0.55, 2: 0.58}, terms={"selection": "best"}, stream="aa"),
    )
    assert [(one.arm, one.control) for one in found.arms][-1] == ("aa", "aa")
    (floor,) = found.noise
    assert (floor.pairs, floor.median, floor.largest) == (2, 0.035, 0.05)
    assert floor.source.startswith("aa against arm_a_full")
    (one,) = found.comparisons  # A/A is compared with nothing: it only makes the floor
    assert (one.first, one.second, one.within_noise) == ("arm_a_full", "arm_c", True)
    assert "no larger than the noise floor: 1 of 1." in found.verdict[-1]
    assert "The floor, 0.050, is the largest of 2 differences" in found.verdict[-1]


def test_an_aa_arm_of_an_arm_that_is_not_here_is_no_noise_floor_of_another() -> None:
    found = report(
        *arm("arm_b", {1: 0.5}, terms={"frozen_meta": True}),
        *arm("arm_a_full_aa", {1: 0.7}, terms={"frozen_meta": False}, stream="aa"),
    )
    assert found.noise == ()


def test_a_median_of_fewer_runs_than_seeds_says_of_how_many() -> None:
    found = report(run("a", 1, [0.1, 0.5], test=0.4), run("a", 2, [0.1, 0.6]))
    ((_, *row),) = medians(found.arms).rows
    assert row[:5] == ["2", "0.550", "0.500 to 0.600", "50.0%", "0.400 (of 1)"]


def test_rates_stand_beside_the_number_of_generations_that_they_are_of() -> None:
    found = report(run("a", 1, [0.1, 0.5, None]), run("a", 2, [0.1, 0.0]))
    table = rates(found.arms)
    assert table.headings[:4] == ("arm", "generations", "scoring", "valid")
    assert table.rows[0][:4] == ("a", "3", "33.3%", "66.7%")


def test_controls_are_compared_with_arms_and_not_with_each_other() -> None:
    runs = [one for name in ("a", "b", "best_of_n", "x_placebo") for one in arm(name, {1: 0.5})]
    pairs = [(one.first, one.second) for one in report(*runs).comparisons]
    assert ("best_of_n", "x_placebo") not in pairs
    assert len(pairs) == 5


def test_code_that_is_evaluated_again_gives_the_noise_floor() -> None:
    plain = run("a", 1, [0.40, 0.50, 0.47, None, 0.90])
    texts = ("x", "y", "y", "y", "x")
    generations = tuple(
        replace(found, code_sha256=text, full_eval=found.generation != 0)
        for found, text in zip(plain.agents[0].generations, texts, strict=True)
    )
    found = report(replace(plain, agents=(replace(plain.agents[0], generations=generations),)))
    (floor,) = found.noise
    assert (floor.pairs, floor.largest) == (1, 0.03)


def test_a_run_without_a_score_a_repeated_and_an_unfinished_one_are_named() -> None:
    found = report(
        run("a", 1, [None, None]),
        run("a", 2, [0.1, 0.2], planned=9),
        run("a", 2, [0.1, 0.9]),
    )
    notes = " ".join(found.notes)
    assert "a seed 1: no validation score is known" in notes
    assert "a seed 2: 1 of 9 generations" in notes
    assert "a seed 2 is there 2 times; the first one counts" in notes
    assert [result.val for result in found.arms[0].results] == [None, 0.2]
