"""Runs that were not run alike: it is said first, and scores of other items are not paired."""

import json
from pathlib import Path

import pytest

from hyperspace.runs.conditions import conditions_of
from hyperspace.runs.finding import read_scored
from replication.report.build import Study, study_of
from replication.report.outputs.html import report_page
from replication.report.records import ExperimentReport
from tests.replication.report.runs import arm, ours, run
from tests.support.command import hyperspace

ALL: dict[str, str] = {"models": "m", "eval_samples": "all", "data_sha256": "a" * 64}


def report(study: Study) -> ExperimentReport:
    (only,) = study.report.experiments
    return only


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Arm A on two models, arm B on fewer items, under one experiment."""
    base = tmp_path_factory.mktemp("results")
    for seed in (1, 2):
        ours(base, "arm_a_full", seed, [0.6, 0.9, 0.9], models=["offline/tinker"])
    for seed in (3, 4):
        ours(base, "arm_a_full", seed, [0.6, 0.9, 0.9, 0.9])
    for seed in (1, 2, 3, 4):
        ours(base, "arm_b_freeze", seed, [0.6, 0.8, 0.8, 0.8], eval_samples=5)
    return base


def test_what_was_not_run_alike_is_said_first_with_every_value_and_who_has_it(mixed: Path) -> None:
    found = report(study_of(read_scored(mixed), "here"))
    models, items, generations, within, caution = found.verdict[:5]
    assert "models: offline/tinker (arm_a_full seeds 1, 2) and offline/climber" in models
    assert "(arm_a_full seeds 3, 4; arm_b_freeze)" in models
    assert "items of train and of validation: all (arm_a_full) and 5 (arm_b_freeze)" in items
    assert "generations asked for: 2 (arm_a_full seeds 1, 2) and 3" in generations
    assert within.startswith("The seeds of arm_a_full differ in models, generations asked for:")
    assert caution.startswith("A difference between arms may come from what was not run alike")
    assert [one.name for one in found.differing] == ["models", "eval_samples", "generations"]


def test_scores_of_other_items_are_not_paired_and_the_report_says_why(mixed: Path) -> None:
    found = report(study_of(read_scored(mixed), "here"))
    (one,) = found.comparisons
    assert (one.verdict, one.seeds) == ("not tested: the items differ", ())
    assert (one.difference, one.p, one.p_holm, one.smallest_p) == (None, None, None, None)
    assert (one.rank_biserial, one.cliffs_delta, one.unpaired_p) == (None, None, None)
    assert "eval_samples" in one.differs
    refusal = "Not tested by best validation score: arm_a_full - arm_b_freeze."
    assert any(sentence.startswith(refusal) for sentence in found.verdict)
    assert not any("not separable" in sentence for sentence in found.verdict)


@pytest.mark.long
def test_terminal_json_and_page_all_carry_it(mixed: Path) -> None:
    text = " ".join(hyperspace("report", mixed).stdout.split())
    assert text.index("Not run alike: models") < text.index("Medians over seeds")
    assert "not tested: the items differ" in text
    (told,) = json.loads(hyperspace("report", mixed, "--json").stdout)["experiments"]
    assert told["verdict"][0].startswith("Not run alike: models")
    assert told["differing"][1] == {
        "name": "eval_samples",
        "values": [
            {"value": "all", "runs": {"arm_a_full": [1, 2, 3, 4]}},
            {"value": "5", "runs": {"arm_b_freeze": [1, 2, 3, 4]}},
        ],
    }
    page = report_page(study_of(read_scored(mixed), "here"))
    assert page.index("Not run alike: models") < page.index("<table>")


def test_other_data_is_no_pair_on_test_either_and_fewer_items_are_one() -> None:
    first = [run("a", 1, [0.1, 0.5], test=0.5, conditions=ALL)]
    fewer = [run("b", 1, [0.1, 0.6], test=0.6, conditions=ALL | {"eval_samples": "5"})]
    other = [run("b", 1, [0.1, 0.6], test=0.6, conditions=ALL | {"data_sha256": "b" * 64})]
    pairs = [
        {one.measure: len(one.seeds) for one in report(study_of(runs, "here")).comparisons}
        for runs in (first + fewer, first + other)
    ]
    assert pairs == [{"val": 0, "test": 1}, {"val": 0, "test": 0}]


def test_another_model_is_tested_and_the_sentence_names_it() -> None:
    low = {seed: 0.2 + 0.02 * seed for seed in range(8)}
    high = {seed: 0.6 + 0.01 * seed for seed in range(8)}
    runs = [*arm("a", high, conditions=ALL), *arm("b", low, conditions=ALL | {"models": "n"})]
    found = report(study_of(runs, "here"))
    assert [one.verdict for one in found.comparisons] == ["separable"]
    assert any("above b" in one and "They also differ in models." in one for one in found.verdict)


def test_a_comparison_that_cannot_be_tested_makes_the_others_no_weaker() -> None:
    scores = {seed: 0.5 + 0.01 * seed for seed in range(6)}
    lower = {seed: 0.1 + 0.02 * seed for seed in range(6)}
    alike = [*arm("a", scores, conditions=ALL), *arm("b", lower, conditions=ALL)]
    stranger = arm("c", lower, conditions=ALL | {"eval_samples": "5"})
    verdicts = [one.verdict for one in report(study_of([*alike, *stranger], "here")).comparisons]
    assert verdicts.count("separable") == 1
    assert verdicts.count("not tested: the items differ") == 2


def test_seeds_of_one_arm_with_other_terms_are_named_and_arms_may_differ_in_theirs() -> None:
    runs = [
        *arm("d", {1: 0.5}, terms={"annealing": {"p0": 0.5}}),
        *arm("d", {2: 0.6}, terms={"annealing": {"p0": 0.9}}),
        *arm("a", {1: 0.5, 2: 0.6}, terms={"annealing": None}),
    ]
    found = report(study_of(runs, "here"))
    assert [one.name for one in found.differing] == ["terms.annealing"]
    assert any(one.startswith("The seeds of d differ in annealing") for one in found.verdict)
    assert report(study_of(runs[::2], "here")).differing == ()


def test_how_candidates_are_judged_is_no_part_of_an_arm(tmp_path: Path) -> None:
    ours(tmp_path, "arm_a_full", 1, [0.1, 0.2], solo={"optimise": "agent", "selection": "best"})
    ours(tmp_path, "arm_c", 1, [0.1, 0.2], solo={"optimise": "ensemble", "selection": "random"})
    found = report(study_of(read_scored(tmp_path), "here"))
    assert found.verdict[0] == (
        "Not run alike: what fitness is of: agent (arm_a_full) and ensemble (arm_c)."
    )
    assert [one.name for one in found.differing] == ["solo.optimise"]


def test_a_source_that_does_not_say_is_not_said_to_differ() -> None:
    runs = [*arm("a", {1: 0.5}, conditions=ALL), *arm("b", {1: 0.6}), *arm("c", {1: 0.6})]
    found = report(study_of(runs, "here"))
    assert found.differing == ()
    assert {len(one.seeds) for one in found.comparisons} == {1}


def test_an_aa_arm_that_was_run_otherwise_is_no_noise_floor() -> None:
    terms = {"selection": "best"}
    plain = arm("arm_a_full", {1: 0.5}, terms=terms, conditions=ALL)
    again = arm("aa", {1: 0.7}, terms=terms, stream="aa", conditions=ALL | {"models": "n"})
    assert report(study_of([*plain, *again], "here")).noise == ()


def test_an_eval_model_that_is_the_agents_own_is_no_difference() -> None:
    own = {"models": ["m"], "eval_model": None}
    assert conditions_of(own) == conditions_of(own | {"eval_model": "m"})
    assert conditions_of(own)["eval_model"] == "the agent's own"
    assert conditions_of({"eval_model": "m", "models": ["n"]})["eval_model"] == "m"
    assert conditions_of({}) == {}


def test_other_weights_behind_one_name_are_not_run_alike(tmp_path: Path) -> None:
    record = {"models": ["m"]}
    one, other = (conditions_of(record, {"m@http://1.2.3.4/v1": (name,)}) for name in ("X", "Y"))
    plain = [*arm("a", {1: 0.5}, conditions=one), *arm("b", {1: 0.6}, conditions=other)]
    found = report(study_of(plain, "here"))
    assert "weights of m@http://1.2.3.4/v1: X (a) and Y (b)" in found.verdict[0]
    assert found.weights == ("m@http://1.2.3.4/v1: X or Y.",)


def test_rows_that_follow_the_seed_of_a_run_are_alike_where_the_domain_is() -> None:
    first, other = ({"domain": "panel?rows_seed=run", "data_sha256": name} for name in "ab")
    assert conditions_of(first) == conditions_of(other)
    assert conditions_of(first) != conditions_of(first | {"domain": "panel?rows_seed=run&per=20"})
    assert conditions_of(first | {"domain": "panel"}) != conditions_of(other | {"domain": "panel"})


def test_a_mean_of_passes_is_told_from_a_single_one() -> None:
    once, thrice = conditions_of({"models": ["m"]}), conditions_of({"eval_repeats": 3})
    assert (once["eval_repeats"], thrice["eval_repeats"]) == ("1", "3")
    assert "eval_repeats" not in conditions_of({})


def test_the_best_of_n_may_have_another_number_of_generations_than_its_arm(tmp_path: Path) -> None:
    ours(tmp_path, "arm_d_annealing", 1, [0.6, 0.9])
    ours(tmp_path, "best_of_n_annealing", 1, [0.6, 0.9, 0.9])
    assert report(study_of(read_scored(tmp_path), "here")).differing == ()


def test_scores_that_are_means_of_several_evaluations_are_called_so(tmp_path: Path) -> None:
    ours(tmp_path, "arm_a_full", 1, [0.6, 0.9], eval_repeats=3)
    notes = report(study_of(read_scored(tmp_path), "here")).notes
    assert "arm_a_full: each score is a mean of 3 evaluations." in notes
