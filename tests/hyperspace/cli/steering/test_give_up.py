"""A server that fails for ever at one conversation: the run says so, and a person gets it past."""

import re
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

from hyperspace.runs.following.overview import OverviewReader
from tests.support.command import failed, hyperspace
from tests.support.runs.fleet_files import fleet_file
from tests.support.runs.steered import read_until
from tests.support.runs.stuck import AT_ONCE, PATIENT, Servers, StuckRun, stuck_pair, stuck_servers
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]

UNREADABLE = '{"error": {"code": 500, "message": "Failed to parse input at pos 1274"}}'


@pytest.fixture(scope="module")
def servers() -> Generator[Servers]:
    with stuck_servers() as servers:
        yield servers


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, servers: Servers) -> str:
    """The digest of a pair that is given up at its first pause."""
    run = stuck_pair(tmp_path_factory.mktemp("first") / "first", servers)
    told = run.pause()
    assert "give-up" not in told
    run.give_up("a")
    return run.end()


def test_the_third_start_that_ends_at_one_call_says_so(
    tmp_path: Path, servers: Servers, reference: str
) -> None:
    run = stuck_pair(tmp_path / "third", servers)
    for _ in range(2):
        assert "give-up" not in run.pause()
    told = run.pause().removeprefix("hyperspace: ")
    assert told.startswith("a gen 1: the call modify//1 to a?stream=off failed 3 times over 3 ")
    assert "Value is not callable: null at row 62" in told
    assert "asked nothing else meanwhile" in told
    assert f"hyperspace steer {run.path} give-up a (" in told
    seen = hyperspace("watch", run.path, "--once")
    assert f"paused: {told}" in seen.stdout.splitlines()
    overview = OverviewReader(run.path).read()  # what the dashboard shows
    assert (overview.state, overview.why) == ("paused", told)
    audited = hyperspace("audit", run.path, "--kind", "outage")
    assert "0 refused, paused 3 times" in audited.stdout
    run.give_up("a")
    again = failed(hyperspace("steer", run.path, "give-up", "a"), 2)
    assert "generation 1 of a was given up before" in again
    assert run.end() == reference
    record = run.metadata("a", 1)
    assert (record["valid"], record["error_class"]) == (False, "infrastructure")
    assert run.metadata("a", 2)["valid"]
    (mark,) = run.listed()["marks"]
    assert (mark["effect"], mark["places"]) == ("applied", [{"agent": "a", "generation": 1}])


def test_a_run_that_is_played_need_not_wait_for_the_outage_limit(
    tmp_path: Path, servers: Servers, reference: str
) -> None:
    run = stuck_pair(tmp_path / "playing", servers)
    with run.command(*PATIENT) as process:
        read_until(process, "trying for 10 minutes")
        run.give_up("a")
        read_until(process, "principal: give-up a 1")
        process.communicate(timeout=300)
    assert process.returncode == 0
    assert run.end() == reference


def test_a_run_that_is_killed_around_a_give_up_ends_as_one_that_never_was(
    tmp_path: Path, servers: Servers, reference: str
) -> None:
    run = stuck_pair(tmp_path / "killed", servers)
    with run.command(*PATIENT) as process:
        read_until(process, "trying for 10 minutes")
        process.send_signal(signal.SIGSTOP)  # so that it cannot take the wish
        run.give_up("a")
        process.kill()
    for step in ("look", "materialize", "publish", "commit", "report"):
        run.play_until(f"a:1:{step}")
    assert run.end() == reference


def test_a_run_that_is_killed_when_a_give_up_is_taken_in_the_middle_ends_alike(
    tmp_path: Path, servers: Servers, reference: str
) -> None:
    run = stuck_pair(tmp_path / "middle", servers)
    with run.start("Notice", *PATIENT) as process:  # the server's trouble is told first
        process.communicate(timeout=300)
    with run.command(*PATIENT) as process:
        read_until(process, "trying for 10 minutes")
        run.give_up("a")
        read_until(process, "principal: give-up a 1")
        process.kill()
    assert run.end() == reference


def solo(folder: Path, model: str, *options: str) -> StuckRun:
    """An arm whose agent cannot make all of its generations."""
    words = ("--domain", "repo_quality", "--seed", "5", "--no-controls", "--arm", "dgm", *options)
    below = "repo_quality/repo_quality/dgm/seed5"
    return StuckRun(folder, below, "solo", "--model", model, *words)


def test_replies_that_a_server_cannot_read_itself_end_alike(
    tmp_path: Path, servers: Servers
) -> None:
    model = f"a{servers.stuck('unreadable', says=UNREADABLE)}"
    run = solo(tmp_path / "unreadable", model, "--iterations", "1")
    told = [failed(run.play_on(*PATIENT), 1) for _ in range(3)]
    assert all("answered 3 times in a way that cannot be read" in each for each in told[:2])
    assert " failed 9 times over 3 starts of this run" in told[2]
    assert "could not read its own reply" in told[2]
    run.give_up("a")
    done = run.play_on(*AT_ONCE)
    nothing = "a came to nothing: 1 of 1 generation ended without a reply of the model: "
    assert done.returncode == 1
    assert nothing in done.stderr
    run.end()


def test_children_side_by_side_are_given_up_by_their_number(
    tmp_path: Path, servers: Servers
) -> None:
    model = f"a{servers.stuck('lanes', conversation=3)}"
    run = solo(tmp_path / "lanes", model, "--iterations", "5", "--lanes", "3")
    for _ in range(2):
        run.pause()
    found = re.search(r"gen (\d+): .* give-up a (\d+) \(", told := run.pause())
    assert found is not None, told
    assert found[1] == found[2]
    assert "under way are generations" in failed(hyperspace("steer", run.path, "give-up", "a"), 2)
    run.give_up("a", found[1])
    run.end()
    records = [run.metadata("a", generation) for generation in range(6)]
    given_up = [each["generation"] for each in records if each["error_class"] == "infrastructure"]
    assert given_up == [int(found[1])]


def test_a_server_that_answers_others_meanwhile_is_not_to_blame(
    tmp_path: Path, servers: Servers
) -> None:
    agent = f'model = "a{servers.stuck("fleet", conversation=6)}"'
    terms = 'generations = 6\nschedule = "concurrent"'
    config = fleet_file(tmp_path / "fleet.toml", terms, agent, agent)
    run = StuckRun(tmp_path / "r", "repo_quality/three/seed5", "fleet", "--config", config)
    for _ in range(2):
        failed(run.play_on("--seeds", "5", "--outage-minutes", "0.05"), 1)
    told = failed(run.play_on("--seeds", "5", *AT_ONCE), 1)
    assert "so it is this request and not the server" in told
    found = re.search(r"(a(?:_b)?) gen (\d+): the call ", told)
    assert found is not None, told
    run.give_up(found[1])
    with run.command("--seeds", "5", *AT_ONCE) as process:
        read_until(process, f"{found[1]} gen {found[2]}: principal: give-up {found[1]}")
        process.communicate(timeout=300)
    assert process.returncode == 0
    run.assert_replays()
    run.assert_audited()
