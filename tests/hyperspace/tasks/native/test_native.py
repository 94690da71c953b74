import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyperspace.tasks.base import DomainDataError
from hyperspace.tasks.native.episodes import NativeEpisode, NativeGames
from hyperspace.tasks.native.extras import require
from hyperspace.tasks.shapes.interactive import Episode, EpisodeFailed
from tests.support.paths import ROOT

FACTORY = "tests.hyperspace.tasks.native.counting_game:make"


@pytest.fixture
def games() -> Iterator[NativeGames]:
    games = NativeGames(FACTORY, answer_s=10)
    yield games
    gc.collect()


def total(episode: NativeEpisode) -> int:
    observation = episode.observe()
    assert observation is not None
    return observation["total"]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.long
def test_episodes_share_a_child_and_not_their_state(games: NativeGames) -> None:
    first, second = games.open({}), games.open({})
    first.act("3")
    second.act("4")
    first.act("nonsense \ud800 " + "x" * 1_000_000)
    pids = {(episode.observe() or {})["pid"] for episode in (first, second)}
    assert (total(first), total(second)) == (3, 4)
    assert pids == {games.pid}
    assert first.outcome().details == {"steps": 2}
    assert first.draw() == "###"
    seam: Episode = first
    seam.close()
    second.close()


@pytest.mark.long
def test_the_child_ends_with_the_last_episode_and_starts_again(games: NativeGames) -> None:
    assert games.pid is None
    first, second = games.open({}), games.open({})
    pid = games.pid
    assert pid is not None and is_alive(pid)
    first.close()
    first.close()
    second.act("100")
    assert second.observe() is None
    second.close()
    second.close()
    assert games.pid is None
    assert not is_alive(pid)
    assert second.outcome().score == 1.0, "what it reached is known after it is closed"
    with pytest.raises(EpisodeFailed, match="closed"):
        second.act("1")
    third = games.open({})
    assert total(third) == 0
    third.close()


@pytest.mark.long
def test_a_child_that_stays_ends_with_its_games() -> None:
    games = NativeGames(FACTORY, answer_s=10, child_stays=True)
    first = games.open({})
    first.act("3")
    first.close()
    pid = games.pid
    assert pid is not None and is_alive(pid)
    second = games.open({})
    assert total(second) == 0
    assert (second.observe() or {})["pid"] == games.pid == pid
    second.close()
    with pytest.raises(EpisodeFailed, match="SIGKILL"):
        _open_and_act(games, "kill")
    _open_and_act(games, "1")
    last = games.pid
    assert last is not None and is_alive(last)
    del games, first, second
    gc.collect()
    assert not is_alive(last)


@pytest.mark.long
def test_a_crash_ends_its_own_episode_and_the_others_are_played_again(games: NativeGames) -> None:
    doomed, other, late = games.open({"abort_at": 3}), games.open({}), games.open({})
    for action in ("5", "6"):
        doomed.act(action)
        other.act(action)
    pid = games.pid
    with pytest.raises(EpisodeFailed, match="was ended by SIGABRT"):
        doomed.act("7")
    with pytest.raises(EpisodeFailed, match="SIGABRT"):
        doomed.observe()
    assert doomed.outcome().score == 0.11, "it keeps what it has reached"
    other.act("7")
    assert total(other) == 18
    assert (other.observe() or {})["pid"] == games.pid != pid
    late.act("1")
    assert total(late) == 1
    for episode in (doomed, other, late):
        episode.close()
    assert games.pid is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("action", "reason"),
    [("exit", "exit status 3"), ("kill", "SIGKILL"), ("raise", "ValueError: a bad day")],
)
def test_each_way_to_fail_is_one_sentence(action: str, reason: str, games: NativeGames) -> None:
    episode = games.open({})
    with pytest.raises(EpisodeFailed, match=reason):
        episode.act(action)
    with pytest.raises(EpisodeFailed, match=reason):
        episode.act("1")
    episode.close()


def test_no_answer_in_time_is_a_failure() -> None:
    games = NativeGames(FACTORY, answer_s=0.3)
    with pytest.raises(EpisodeFailed, match="within 0"):
        _open_and_act(games, "sleep")
    assert games.pid is None


def _open_and_act(games: NativeGames, action: str) -> None:
    episode = games.open({})
    try:
        episode.act(action)
    finally:
        episode.close()


@pytest.mark.long
def test_an_environment_that_cannot_be_made_leaves_nothing_behind(games: NativeGames) -> None:
    with pytest.raises(EpisodeFailed, match="RuntimeError: no level"):
        games.open({"broken": True})
    assert games.pid is None
    missing = NativeGames("tests.hyperspace.tasks.native.no_such_module:make", answer_s=10)
    with pytest.raises(EpisodeFailed, match="exit status 1"):
        missing.open({})


@pytest.mark.long
def test_the_child_knows_no_key(games: NativeGames, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a secret")
    episode = games.open({})
    environment = (episode.observe() or {})["environment"]
    episode.close()
    assert "PYTHONPATH" in environment
    assert not [name for name in environment if "KEY" in name or "TOKEN" in name]


@pytest.mark.long
def test_a_child_outlives_the_thread_that_opened_it(games: NativeGames) -> None:
    episodes: list[NativeEpisode] = []
    thread = threading.Thread(target=lambda: episodes.append(games.open({})))
    thread.start()
    thread.join()
    pid = games.pid
    episodes[0].act("2")
    assert games.pid == pid
    episodes[0].close()


def test_a_child_dies_with_its_host() -> None:
    program = (
        "import sys, time; from hyperspace.tasks.native.episodes import NativeGames\n"
        f"games = NativeGames({FACTORY!r}); episode = games.open({{}})\n"
        "print(games.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=ROOT, start_new_session=True
    ) as host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        assert is_alive(pid)
        os.kill(host.pid, signal.SIGKILL)
        host.wait()
    deadline = time.monotonic() + 60
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(pid)


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    require("babyai", ["json"], "babyai")
    with pytest.raises(DomainDataError, match="babyai needs no_such_package: install"):
        require("babyai", ["json", "no_such_package"], "babyai")
