"""The arms of a fleet: who plays in each, at which cost, and from which random numbers."""

from pathlib import Path

import pytest

from hyperspace.cli.arguments.launching import parse_arms
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import RunConfig
from hyperspace.launch.configuration import config_of
from transfer_experiment.fleet_arms import fleet_arms, fleet_options
from transfer_experiment.fleet_file import FleetFile, read_fleet

THREE = """
name = "f"
domain = "repo_quality"
generations = 4
measure = {name = "area"}
[[agents]]
model = "offline/tinker"
[[agents]]
model = "offline/magpie"
name = "bird"
budget = 3
[[agents]]
model = "offline/tinker"
"""
ALL = ("sharing", "none", "shuffled", "placebo", "aa", "copies", "alone")


def three(folder: Path, text: str = THREE) -> FleetFile:
    (folder / "fleet.toml").write_text(text)
    return read_fleet(folder / "fleet.toml")


def configs(folder: Path, *names: str, text: str = THREE) -> dict[str, RunConfig]:
    arms = fleet_arms(three(folder, text), names)
    return {run.name(): config_of(run, "") for run in fleet_options(arms, [7])}


def test_every_arm_has_a_name_a_folder_and_the_measure_of_the_file(tmp_path: Path) -> None:
    arms = fleet_arms(three(tmp_path), ALL)
    named = {arm.name: arm.run_name for arm in arms}
    assert named == {
        "sharing": "f",
        "none": "f_none",
        "shuffled": "f_shuffled",
        "placebo": "f_placebo",
        "aa": "f_aa",
        "copies:tinker": "f_copies_tinker",
        "copies:bird": "f_copies_bird",
        "alone:tinker": "f_alone_tinker",
        "alone:bird": "f_alone_bird",
    }
    assert {arm.terms.measure.name for arm in arms if arm.terms.measure} == {"area"}


def test_seeds_and_arms_are_runs_the_arms_of_one_seed_after_each_other(tmp_path: Path) -> None:
    runs = fleet_options(fleet_arms(three(tmp_path), ("sharing", "placebo")), (1, 2))
    assert [(run.name(), run.seed) for run in runs] == [
        ("f", 1),
        ("f_placebo", 1),
        ("f", 2),
        ("f_placebo", 2),
    ]


def test_all_arms_make_as_many_generations(tmp_path: Path) -> None:
    played = configs(tmp_path, *ALL)
    made = {sum(m.generations for m in config.together.members) for config in played.values()}
    assert made == {11}


def test_controls_at_equal_cost_are_one_model_without_peers(tmp_path: Path) -> None:
    played = configs(tmp_path, "copies:bird", "alone:bird")
    copies, alone = played["f_copies_bird"], played["f_alone_bird"]
    assert copies.agents == ("bird", "bird_b", "bird_c")
    assert [m.generations for m in copies.together.members] == [4, 3, 4]
    assert alone.agents == ("bird",)
    assert (alone.generations, alone.member("bird").generations) == (11, 11)
    assert {*copies.models, *alone.models} == {"offline/magpie"}
    assert {c.together.sharing.arm for c in played.values()} == {"none"}


def test_only_the_repeated_arm_draws_other_random_numbers(tmp_path: Path) -> None:
    played = configs(tmp_path, "sharing", "aa", "none", "alone")
    assert {c.seed for c in played.values()} == {7}
    other = {name for name, config in played.items() if config.root_seed != 7}
    assert other == {"f_aa"}
    own, repeated = played["f"], played["f_aa"]
    assert own.together.sharing == repeated.together.sharing


def test_an_arm_named_for_all_models_and_for_one_is_played_once(tmp_path: Path) -> None:
    arms = fleet_arms(three(tmp_path), ("alone", "alone:bird"))
    assert [arm.name for arm in arms] == ["alone:tinker", "alone:bird"]


def test_copies_of_the_only_model_would_be_no_arm_of_their_own(tmp_path: Path) -> None:
    text = THREE.replace("magpie", "tinker")
    with pytest.raises(RunUsageError, match="'copies' would be the arm 'none'"):
        configs(tmp_path, "copies", text=text)
    assert [*configs(tmp_path, "alone", text=text)] == ["f_alone_tinker"]


def test_a_control_of_an_agent_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(
        RunUsageError, match="'alone:nobody' names no agent; there are tinker, bird"
    ):
        fleet_arms(three(tmp_path), ("alone:nobody",))


def test_an_arm_that_the_file_leaves_nothing_to_do_is_refused(tmp_path: Path) -> None:
    text = THREE.replace("[[agents]]", 'sharing = {what = ["task"]}\n[[agents]]', 1)
    with pytest.raises(RunUsageError, match="shuffles scores"):
        configs(tmp_path, "shuffled", text=text)


def test_a_command_line_names_arms_that_there_are() -> None:
    assert parse_arms("aa,copies:bird") == ("aa", "copies:bird")
    for text, message in (
        ("twice", "no arm 'twice'; there are sharing, none"),
        ("none:bird", "copies and alone may name an agent"),
        ("aa,aa", "names an arm twice"),
    ):
        with pytest.raises(Exception, match=message):
            parse_arms(text)
