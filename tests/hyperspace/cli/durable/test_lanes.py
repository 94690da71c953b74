"""Solo arms with several children under way: one record without gaps, killed or not."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hyperspace.extensions.tournament.tournament import tournaments
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest
from tests.support.command import HYPERSPACE, failed, hyperspace, kill_at
from tests.support.forks.forking import environment
from tests.support.runs.played import attempted_cursors
from tests.support.runs.solos import MODEL, Solo, solo

pytestmark = pytest.mark.long

GENERATIONS = 12
LANES = ("--lanes", "4")
COMMAND = ("--model", MODEL, "--domain", "repo_quality", "--iterations", str(GENERATIONS))


def replay(run: Path) -> Any:
    """Replay a run; returns what the command said."""
    done = hyperspace("replay", run, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def cursors(played: Solo) -> list[int]:
    """How many generations each generation saw, in order."""
    paths = (played.path / "climber" / f"gen_{n}" / "cursor.json" for n in range(GENERATIONS + 1))
    return [json.loads(path.read_text()) for path in paths]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Solo:
    return solo(tmp_path_factory.mktemp("lanes"), *LANES, iterations=GENERATIONS)


def test_children_see_what_was_closed_when_they_began(played: Solo) -> None:
    saw = cursors(played)
    assert saw[:2] == [0, 1]
    assert all(count <= generation for generation, count in enumerate(saw))
    assert any(count < generation for generation, count in enumerate(saw))
    for generation, count in enumerate(saw[1:], 1):
        assert played.metadata(generation)["parent"] < count


def test_it_replays_to_the_same_digest_and_passes_the_audit(played: Solo) -> None:
    assert replay(played.path)["same"]
    assert hyperspace("audit", played.path).returncode == 0


def with_files(soft: int, hard: int, *options: str | Path) -> subprocess.CompletedProcess[str]:
    """Play with 16 lanes in a shell that allows so many open files."""
    # The hard one last: it cannot be raised again, and none may be below the soft one.
    shell = f'ulimit -S -n {soft}; ulimit -H -n {hard}; exec "$@"'
    command = ["bash", "-c", shell, "bash", *HYPERSPACE, "solo", *COMMAND, "--no-controls"]
    return subprocess.run(
        [*command, "--lanes", "16", *map(str, options)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=300,
    )


def test_more_files_are_opened_than_a_shell_allows_at_first(tmp_path: Path) -> None:
    done = with_files(150, 1024, "--results", tmp_path)
    assert done.returncode == 0, done.stderr


def test_more_lanes_than_may_be_open_are_refused_before_anything_begins(tmp_path: Path) -> None:
    told = failed(with_files(300, 300, "--results", tmp_path), 2)
    assert "holds 340 files and connections open, and this process may 300" in told
    assert "allow more (ulimit -n 340), or take at most --lanes 13" in told
    assert not list(tmp_path.rglob("gen_*"))


def test_sandboxes_that_answer_side_by_side_hold_files_too(tmp_path: Path) -> None:
    told = failed(with_files(400, 400, "--eval-workers", "3", "--results", tmp_path), 2)
    assert "--lanes 16 with --eval-workers 3: such a run holds 660 files" in told
    assert "ulimit -n 660), or take at most --lanes 8, or fewer --eval-workers" in told


def test_one_lane_is_the_run_without_the_option(tmp_path: Path) -> None:
    one = solo(tmp_path / "one", "--lanes", "1")
    without = solo(tmp_path / "without")
    assert digest(one.path) == digest(without.path)
    assert not list(one.path.glob("*/gen_*/cursor.json"))


@pytest.mark.parametrize(("first", "then"), [((), ("--lanes", "1")), (("--lanes", "1"), ())])
def test_a_run_goes_on_whether_its_one_lane_is_named_or_not(
    first: tuple[str, ...], then: tuple[str, ...], tmp_path: Path
) -> None:
    begun = solo(tmp_path, *first, iterations=1)
    before = json.loads((begun.path / "run_config.json").read_text())["configuration"]
    again = solo(tmp_path, *then, iterations=2)
    after = json.loads((again.path / "run_config.json").read_text())["configuration"]
    assert after.get("options") == before.get("options")
    assert again.metadata(2)


def test_the_number_of_lanes_is_part_of_the_run(played: Solo) -> None:
    command = ("solo", *COMMAND, "--no-controls", "--results", played.path.parents[3])
    for lanes, asked in ((("--lanes", "2"), 2), ((), 1)):
        told = failed(hyperspace(*command, *lanes), 2)
        assert f"holds a run with lanes=4, and you ask for lanes={asked}" in told


def test_tournaments_are_drawn_as_they_are_with_one_lane(tmp_path: Path) -> None:
    run = solo(tmp_path, "--arm", "d", *LANES, iterations=8).path
    held = [json.loads(path.read_text()) for path in run.glob("climber/gen_*/metadata.json")]
    planned = tournaments(read_record_of(run).configuration, "climber")
    assert sum(each.get("tournament") is not None for each in held) == planned > 0
    assert replay(run)["same"]


@pytest.mark.parametrize("event", [40, 170, 310, 480])
def test_killed_anywhere_each_child_saw_what_its_first_attempt_did(
    tmp_path: Path, event: int
) -> None:
    asked = (*COMMAND, *LANES, "--no-controls", "--results", str(tmp_path / "results"))
    killed = kill_at(tmp_path / "log", f"event:{event}", "solo", *asked)
    assert killed.returncode == -9, killed.stderr
    done = hyperspace("solo", *asked, "--json")
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    pairs = list(attempted_cursors(run))
    assert pairs
    assert all(aside == closed for aside, closed in pairs)
    assert replay(run)["same"]
    assert hyperspace("audit", run).returncode == 0


def test_agents_that_take_turns_have_no_lanes(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    file.write_text(
        'name = "f"\ndomain = "repo_quality"\n[[agents]]\nmodel = "offline/tinker"\ncount = 2\n'
    )
    done = hyperspace("fleet", "--config", file, "--lanes", "2", "--results", tmp_path / "r")
    assert done.returncode == 2
    assert "--lanes 2: the agents of this fleet take turns" in done.stderr


def test_a_fleet_with_few_lanes_plays_as_many_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    agents = '[[agents]]\nmodel = "offline/tinker"\ncount = 5\n'
    file.write_text(
        f'name = "f"\ndomain = "repo_quality"\ngenerations = 1\nschedule = "concurrent"\n{agents}'
    )
    done = hyperspace(
        *("fleet", "--config", file, "--lanes", "2", "--results", tmp_path / "r", "--json")
    )
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    assert read_record_of(run).configuration.lanes == 2
    closed = sorted(json.loads(path.read_text()) for path in run.glob("*/gen_0/cursor.json"))
    assert closed[:2] == [0, 0]
    assert all(count > 0 for count in closed[2:])  # who came later waited for a lane
    assert replay(run)["same"]
