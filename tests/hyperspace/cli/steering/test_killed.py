"""kill -9 between a wish and its effect, at every step of it: nothing is lost, or done twice."""

from pathlib import Path

import pytest

from hyperspace.kernel.state.digest import digest
from tests.hyperspace.cli.steering.test_needs import ASKS, need_of
from tests.support.command import failed, hyperspace
from tests.support.runs.copied import copied
from tests.support.runs.steered import SteeredPair, read_until
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]

FORK = ("fork", "magpie", "1", "--as", "wren")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> SteeredPair:
    """A pair after round 1."""
    pair = SteeredPair(tmp_path_factory.mktemp("begun"), generations=3)
    pair.play_until("magpie:1:report")
    return pair


def steered(
    begun: SteeredPair, results: Path, *words: str, kill_at: tuple[str, ...] = ()
) -> SteeredPair:
    """Steer a copy of a pair that was begun, and kill it at some positions from there on."""
    pair = SteeredPair(results, generations=3)
    copied(begun.path, pair.path)
    pair.steer(*words)
    for position in kill_at:
        pair.play_until(position)
    return pair


def test_a_fork_is_made_once_wherever_the_run_is_killed(begun: SteeredPair, tmp_path: Path) -> None:
    reference = steered(begun, tmp_path / "reference", *FORK)
    reference.play()
    # Before the look, right after it is on record, after the run's record names the new agent.
    positions = ("tinker:2:modify", "Notice", "AgentJoined", "wren:0:evaluate", "wren:1:commit")
    killed = steered(begun, tmp_path / "killed", *FORK, kill_at=positions)
    killed.play()
    assert digest(killed.path) == digest(reference.path)
    assert len(killed.listed()["marks"][0]["places"]) == 1
    killed.assert_replays()
    killed.assert_audited()


@pytest.mark.parametrize(
    "words",
    [("say", "all", "hello"), ("pin", "tinker", "0"), ("stop-agent", "magpie")],
    ids=lambda words: words[0],
)
def test_a_wish_takes_effect_once_wherever_the_run_is_killed(
    begun: SteeredPair, words: tuple[str, ...], tmp_path: Path
) -> None:
    reference = steered(begun, tmp_path / "reference", *words)
    reference.play()
    killed = steered(begun, tmp_path / "killed", *words, kill_at=("Notice", "tinker:3:modify"))
    killed.play()
    assert digest(killed.path) == digest(reference.path)
    killed.assert_replays()


def test_a_run_that_was_paused_answered_and_forked_replays(tmp_path: Path) -> None:
    initial = tmp_path / "initial"
    initial.mkdir()
    (initial / "meta_agent.py").write_text(ASKS.replace("BLOCKING", "yes"))
    pair = SteeredPair(tmp_path / "results", "--initial", initial, "--needs", generations=2)
    with pair.command() as process:
        for agent in ("tinker", "magpie"):
            read_until(process, f"{agent} gen 1 waits for an answer")
            if agent == "magpie":
                pair.steer("pause")
            pair.steer("answer", need_of(pair, agent), f"for {agent}")
        read_until(process, "paused by the principal")
        process.kill()
    pair.steer("fork", "tinker", "1", "--as", "wren")
    with pair.command() as process:
        read_until(process, "paused by the principal")
        pair.steer("resume")
        read_until(process, "wren joins in round 2")
        process.communicate(timeout=300)
    assert process.returncode == 0
    assert (pair.path / "wren" / "gen_0").exists()
    pair.assert_replays()
    pair.assert_audited()


def test_a_paused_run_that_is_killed_ends_as_one_that_never_was(tmp_path: Path) -> None:
    initial = tmp_path / "initial"
    initial.mkdir()
    (initial / "meta_agent.py").write_text(ASKS.replace("BLOCKING", "yes"))
    digests: list[str] = []
    for name, kills in (("never", 0), ("killed", 2)):
        pair = SteeredPair(tmp_path / name, "--initial", initial, "--needs")
        process = pair.command()
        read_until(process, "tinker gen 1 waits for an answer")  # so the pause is before its looks
        pair.steer("pause")
        pair.steer("answer", need_of(pair, "tinker"), "the third")
        read_until(process, "paused by the principal")
        for _ in range(kills):
            process.kill()
            process.communicate(timeout=300)
            process = pair.command()
            read_until(process, "paused by the principal")
        pair.steer("resume")
        read_until(process, "magpie gen 1 waits for an answer")
        pair.steer("answer", need_of(pair, "magpie"), "the second")
        process.communicate(timeout=300)
        assert process.returncode == 0
        digests.append(digest(pair.path))
    assert digests[0] == digests[1]
    pair.assert_replays()


def test_a_wish_that_comes_while_a_generation_is_made_waits_for_the_next_wherever_it_is_killed(
    tmp_path: Path,
) -> None:
    initial = tmp_path / "initial"
    initial.mkdir()
    (initial / "meta_agent.py").write_text(ASKS.replace("BLOCKING", "yes"))
    digests: list[str] = []
    for name, is_killed in (("never", False), ("killed", True)):
        pair = SteeredPair(tmp_path / name, "--initial", initial, "--needs")
        process = pair.command()
        read_until(process, "tinker gen 1 waits for an answer")
        pair.steer("pin", "tinker", "0")
        pair.steer("say", "all", "mind the empty rows")
        pair.steer("fork", "tinker", "0", "--as", "wren")
        if is_killed:
            process.kill()
            process.communicate(timeout=300)
            process = pair.command()
            read_until(process, "tinker gen 1 waits for an answer")
        pair.steer("answer", need_of(pair, "tinker"), "the third")
        read_until(process, "magpie gen 1 waits for an answer")
        pair.steer("answer", need_of(pair, "magpie"), "the second")
        process.communicate(timeout=300)
        assert process.returncode == 0
        places = [mark["places"] for mark in pair.listed()["marks"]]
        assert places[0] == [{"agent": "tinker", "generation": 2}]
        assert {"agent": "magpie", "generation": 1} in places[1]
        digests.append(digest(pair.path))
    assert digests[0] == digests[1]
    pair.assert_replays()


def test_a_fork_that_is_asked_for_while_the_last_generation_is_made_is_refused(
    tmp_path: Path,
) -> None:
    initial = tmp_path / "initial"
    initial.mkdir()
    asks = ASKS.replace("BLOCKING", "yes").replace("iterations_left == 1", "iterations_left == 0")
    (initial / "meta_agent.py").write_text(asks)
    pair = SteeredPair(tmp_path / "results", "--initial", initial, "--needs", generations=1)
    process = pair.command()
    read_until(process, "tinker gen 1 waits for an answer")
    told = failed(hyperspace("steer", pair.path, "fork", "tinker", "0", "--as", "wren"), 2)
    assert "tinker has begun its last generation; none is left to join in" in told
    process.kill()
    process.communicate(timeout=300)
    pair.steer("fork", "tinker", "0", "--as", "wren")  # it begins once more
    with pair.command() as process:
        read_until(process, "wren joins in round 1")
        process.kill()
