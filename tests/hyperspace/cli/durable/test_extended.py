"""More generations for pairs and fleets: as if it had been played at once, or a reason why not."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest
from tests.support.command import PAIR, failed, hyperspace
from tests.support.runs.copied import copied
from tests.support.runs.fleet_files import THREE, fleet_file
from tests.support.runs.steered import SteeredRun

pytestmark = pytest.mark.long

NAME: Final = "repo_quality/tinker_vs_magpie/seed3"
ISLANDS: Final = (
    'model = "offline/tinker"\nisland = "one"',
    'model = "offline/magpie"\nisland = "two"',
    'model = "offline/adopter?eagerness=1"\nisland = "one"\nname = "third"',
)
SITS_OUT: Final = (*THREE[:2], f"{THREE[2]}\nbudget = 1")
STEPS: Final = ("look", "modify", "evaluate", "commit", "report")


def pair(results: Path, generations: int, *options: str) -> Any:
    words = ("--generations", str(generations), "--seed", "3", *options, "--results", str(results))
    done = hyperspace("pair", *PAIR, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return pair(tmp_path_factory.mktemp("at_once"), 5)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return pair(tmp_path_factory.mktemp("first"), 3)


def test_a_pair_of_3_generations_goes_on_to_5_as_if_it_had_been_5_at_once(
    at_once: Any, first: Any, tmp_path: Path
) -> None:
    copied(Path(first["run"]), tmp_path / NAME)
    assert "test_exposed" not in first
    longer = pair(tmp_path, 5)
    run = Path(longer["run"])
    assert longer["digest"] == at_once["digest"] == digest(run)
    assert longer["agents"] == at_once["agents"]
    assert longer["test_exposed"] is True
    assert json.loads((run / "summary.json").read_bytes())["test_exposed"] is True
    assert read_record_of(run).configuration.extended == (3,)
    assert hyperspace("audit", run).returncode == 0
    replayed = json.loads(hyperspace("replay", run, "--json").stdout)
    assert (replayed["same"], replayed["closed"]) == (True, 14)
    again = hyperspace("pair", *PAIR, "--seed", "3", "--results", tmp_path)
    assert "this run was finished before: no work was done" in again.stdout
    assert "test was looked at before the end" in again.stdout


@pytest.mark.parametrize(
    "position",
    [
        *(f"{agent}:{generation}:{step}" for agent, generation, step in (
            ("tinker", 4, "look"), ("magpie", 4, "commit"), ("tinker", 5, "modify"),
            ("magpie", 5, "report"),
        )),
        "event:1",
        "tinker:5:evaluate",
        "tinker:5:commit",  # of the last generation, then of the new final evaluation
    ],
)  # fmt: skip
def test_an_extension_that_is_killed_ends_as_if_undisturbed(
    at_once: Any, first: Any, tmp_path: Path, position: str
) -> None:
    run = SteeredRun(tmp_path, NAME, "pair", *PAIR, "--generations", "5", "--seed", "3")
    copied(Path(first["run"]), run.path)
    run.play_until(position)
    assert digest(run.path)  # whoever looks meanwhile
    run.play()
    assert digest(run.path) == at_once["digest"]


def test_resume_extends_a_pair_and_the_command_line_goes_on_with_that(
    at_once: Any, tmp_path: Path
) -> None:
    run = pair(tmp_path, 2)["run"]
    for generations in ("4", "5"):
        done = hyperspace("resume", run, "--generations", generations, "--json")
        assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == at_once["digest"]
    assert read_record_of(Path(run)).configuration.extended == (2, 4)
    assert pair(tmp_path, 5)["digest"] == at_once["digest"]
    shorter = failed(hyperspace("resume", run, "--generations", "3"), 2)
    assert "generations=5, and you ask for generations=3" in shorter


def test_a_pair_that_was_killed_before_its_end_is_made_longer_too(
    at_once: Any, tmp_path: Path
) -> None:
    run = SteeredRun(tmp_path, NAME, "pair", *PAIR, "--generations", "3", "--seed", "3")
    run.play_until("magpie:2:modify")
    longer = pair(tmp_path, 5)
    assert longer["digest"] == at_once["digest"]
    assert "test_exposed" not in longer


@pytest.mark.parametrize(
    ("schedule", "agents"),
    [
        ("alternating", THREE),
        ("alternating", SITS_OUT),
        ("islands", ISLANDS),
    ],
)
def test_a_fleet_in_rounds_goes_on_as_if_it_had_been_longer(
    tmp_path: Path, schedule: str, agents: tuple[str, ...]
) -> None:
    def played(results: Path, generations: int) -> Any:
        head = f'generations = {generations}\nschedule = "{schedule}"'
        config = fleet_file(tmp_path / "fleet.toml", head, *agents)
        done = hyperspace("fleet", "--config", config, "--results", results, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    whole = played(tmp_path / "at_once", 3)
    played(tmp_path / "longer", 2)
    longer = played(tmp_path / "longer", 3)
    assert longer["digest"] == whole["digest"]
    assert longer["agents"] == whole["agents"]


def test_agents_at_their_own_pace_go_on_too_and_are_replayed(tmp_path: Path) -> None:
    head = 'generations = 2\nschedule = "concurrent"'
    config = fleet_file(tmp_path / "fleet.toml", head, *SITS_OUT)
    command = ("fleet", "--config", config, "--results", tmp_path / "r", "--json")
    run = json.loads(hyperspace(*command).stdout)["run"]
    done = hyperspace("resume", run, "--generations", "4", "--json")
    assert done.returncode == 0, done.stderr
    config = read_record_of(Path(run)).configuration
    assert [config.member(agent).generations for agent in config.agents] == [4, 4, 1]
    assert [config.iterations_left(agent, 1) for agent in config.agents] == [1, 1, 0]
    replayed = json.loads(hyperspace("replay", run, "--json").stdout)
    assert (replayed["same"], replayed["closed"]) == (True, 15)


def test_an_agent_that_joined_goes_on_with_the_others(tmp_path: Path) -> None:
    run = SteeredRun(tmp_path, NAME, "pair", *PAIR, "--generations", "3", "--seed", "3")
    run.play_until("magpie:1:look")
    assert hyperspace("steer", run.path, "fork", "tinker", "1", "--as", "wren").returncode == 0
    run.play()
    longer = pair(tmp_path, 5)
    assert [agent["name"] for agent in longer["agents"]] == ["tinker", "magpie", "wren"]
    last = read_record_of(run.path).configuration
    assert last.joined("wren") + last.member("wren").generations == 5
    assert (run.path / "wren" / f"gen_{last.member('wren').generations}").is_dir()
    assert json.loads(hyperspace("replay", run.path, "--json").stdout)["same"] is True


def test_an_arena_gets_no_more_rounds_and_says_why(tmp_path: Path) -> None:
    words = ("--task", "email_validation", "--eval-samples", "6", "--solvers", "1")
    command = ("arena", *words, "--testers", "1", "--results", tmp_path)
    run = json.loads(hyperspace(*command, "--rounds", "1", "--json").stdout)["run"]
    for longer in (
        (*command, "--rounds", "2"),
        ("resume", run, "--generations", "2"),
    ):
        assert "the rounds of an arena are fixed" in failed(hyperspace(*longer), 2)


def test_an_agent_that_has_sat_out_plays_no_more_rounds_and_is_named(tmp_path: Path) -> None:
    pair(tmp_path, 3, "--budget", "1", "3")
    command = ("pair", *PAIR, "--seed", "3", "--results", tmp_path)
    said = failed(hyperspace(*command, "--budget", "4", "4"), 2)
    assert "tinker has sat out since round 1 of 3" in said
    assert pair(tmp_path, 5, "--budget", "1", "5")["test_exposed"] is True


def test_a_pair_goes_on_with_one_of_its_agents_alone(tmp_path: Path) -> None:
    pair(tmp_path / "longer", 2)
    longer = pair(tmp_path / "longer", 4, "--budget", "4", "2")
    assert longer["digest"] == pair(tmp_path / "at_once", 4, "--budget", "4", "2")["digest"]
