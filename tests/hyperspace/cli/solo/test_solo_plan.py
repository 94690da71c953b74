"""What the options of `hyperspace solo` come to, before anything is played."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.events import nobody
from hyperspace.launch.setup import set_up
from hyperspace.options.solo import Annealing, SoloTerms
from hyperspace.options.values import LARGEST_SEED, run_seed, run_seeds
from hyperspace.runs.finding import find_runs
from tests.support.runs.solos import planned

META_FIXED = {"frozen_meta": True}
PARENT_ALONE = {"history": "parent"}
DGM = {**PARENT_ALONE, "selection": "dgm"}


def test_what_annealing_is_to_be_reaches_the_arm_and_not_its_best_of_n() -> None:
    asked = ("--arm", "d", "--annealing-p0", "0.75", "--annealing-decay", "0.25")
    arm, best_of_n, aa = [one.options.solo for one in planned(*asked)]
    assert arm.annealing == aa.annealing == Annealing(p0=0.75, decay=0.25)
    assert best_of_n.annealing is None


def test_a_best_of_n_is_as_long_as_its_arm_has_candidates() -> None:
    every = ("--arm", "d", "--annealing-p0", "1", "--annealing-decay", "1", "--iterations", "6")
    assert {one.label: one.options.generations for one in planned(*every)} == {
        "arm_d_annealing seed42": 6,
        "best_of_n_annealing seed42": 12,
        "arm_d_annealing_aa seed42": 6,
    }
    (alone,) = planned(*every, "--control", "best_of_n")  # as a set plays it
    assert alone.options.generations == 12


def test_a_best_of_n_of_usual_tournaments_is_as_long_as_its_seed_draws() -> None:
    every = planned("--arm", "d", "--iterations", "6", "--seeds", "1..9")
    controls = [one.options for one in every if one.control == "best_of_n"]
    lengths = {options.generations for options in controls}
    assert lengths < set(range(6, 13))
    assert len(lengths) > 1


def test_without_tournaments_every_control_is_as_long_as_its_arm() -> None:
    assert [one.options.generations for one in planned("--iterations", "6")] == [6, 6, 6]


@pytest.mark.parametrize(
    ("arm", "differs"),
    [
        ("arm_a_full", {}),
        ("arm_b_freeze", META_FIXED),
        ("arm_c_random", {"selection": "random"}),
        ("arm_d_annealing", {"annealing": Annealing(p0=0.5, decay=0.9)}),
        ("no_archive", {**PARENT_ALONE, "selection": "latest"}),
        ("no_archive_freeze", {**PARENT_ALONE, "selection": "latest", **META_FIXED}),
        ("dgm", {**DGM, "diagnosis": "agent"}),
        ("dgm_freeze", {**DGM, "diagnosis": "agent", **META_FIXED}),
        ("dgm_custom", {**DGM, "diagnosis": "task_agent"}),
        ("dgm_custom_freeze", {**DGM, "diagnosis": "task_agent", **META_FIXED}),
    ],
)
def test_an_arm_differs_from_the_full_one_in_what_its_name_says(
    arm: str, differs: dict[str, Any]
) -> None:
    (run,) = planned("--arm", arm, "--no-controls")
    plain = SoloTerms(experiment="repo_quality", arm=arm)
    assert run.options.solo == msgspec.structs.replace(plain, **differs)


@pytest.mark.parametrize("name", ["no_archive", "dgm", "dgm_custom"])
def test_frozen_by_an_option_is_frozen_by_its_name(name: str) -> None:
    by_option, by_name = planned("--arm", name, "--freeze-meta"), planned("--arm", f"{name}_freeze")
    assert by_option[0].options.solo == by_name[0].options.solo


@pytest.mark.parametrize(
    ("option", "field", "value"),
    [
        (("--skip-staged",), "staged", False),
        (("--eval-test",), "eval_test", True),
        (("--optimise", "both"), "optimise", "both"),
        (("--optimise", "ensemble", "--ensemble-size", "3"), "ensemble_size", 3),
    ],
)
def test_how_candidates_are_judged_is_the_same_for_an_arm_and_its_controls(
    option: tuple[str, ...], field: str, value: object
) -> None:
    assert [getattr(one.options.solo, field) for one in planned(*option)] == [value] * 3
    assert getattr(planned()[0].options.solo, field) != value


def test_samples_cut_train_and_validation_of_what_is_played() -> None:
    (run,) = planned("--eval-samples", "8", "--no-controls")
    setup = set_up(run.options, nobody)
    assert [len(setup.domain.items(split)) for split in ("train", "val")] == [8, 8]
    assert len(setup.domain.items("test")) > 8
    assert setup.config.eval_samples == 8


def test_domains_that_name_no_folder_need_an_experiment() -> None:
    several = ("--domain", "repo_quality+repo_quality?rows_seed=7", "--no-controls")
    with pytest.raises(RunUsageError, match="name --experiment in letters"):
        planned(*several, domain=None)
    (run,) = planned(*several, "--experiment", "both", domain=None)
    assert run.options.name() == "both/arm_a_full"


@pytest.mark.parametrize("number", [0, 42, LARGEST_SEED])
def test_a_run_of_any_seed_that_is_taken_is_found_by_a_report(number: int, tmp_path: Path) -> None:
    folder = tmp_path / "d" / "e" / "arm_a_full" / f"seed{number}"
    folder.mkdir(parents=True)
    assert run_seeds(f"{number}") == (run_seed(f"{number}"),) == (number,)
    assert list(find_runs(tmp_path)) == [folder]


@pytest.mark.parametrize("text", [f"{LARGEST_SEED + 1}", f"{LARGEST_SEED}..{LARGEST_SEED + 1}"])
def test_a_seed_that_no_report_would_find_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="18 digits"):
        run_seeds(text)
    with pytest.raises(ArgumentTypeError):
        run_seed(text)
