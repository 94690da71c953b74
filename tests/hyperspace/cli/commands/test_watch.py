"""`hyperspace watch`: attached before, during and after a run, and detached at any time."""

import json
import os
import pty
import shutil
import signal
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hyperspace.export.retention import drop_traces, record_dropped
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import working
from hyperspace.runs.following.follower import Follower
from tests.support.command import HYPERSPACE, PAIR, failed, hyperspace, pair
from tests.support.paths import ROOT

pytestmark = pytest.mark.long

NUMBERS = ("--generations", "2", "--seed", "1")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return pair(tmp_path_factory.mktemp("results"), generations=2, seed=1)


@pytest.fixture(scope="module")
def events(job: Any) -> list[Any]:
    """What is told of a finished run from its first mark on, then its present state."""
    return told(Path(job["run"]), "--after", "0")


@pytest.fixture
def run(job: Any, tmp_path: Path) -> Path:
    return Path(shutil.copytree(job["run"], tmp_path / "run"))


@contextmanager
def started(*arguments: str | Path, **options: Any) -> Generator[subprocess.Popen[str]]:
    command = [*HYPERSPACE, *map(str, arguments)]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def told(run: Path, *options: str) -> list[Any]:
    done = hyperspace("watch", run, "--json", *options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def of(kind: str, events: list[Any]) -> list[Any]:
    return [event for event in events if event["event"] == kind]


def without_shared_memory(run: Path) -> dict[Path, bytes]:
    files = (path for path in run.rglob("*") if path.is_file() and "space.db-" not in path.name)
    return {path: path.read_bytes() for path in files}


def test_a_finished_run_is_told_from_its_first_mark_and_as_it_ended(
    job: Any, events: list[Any]
) -> None:
    adoptions = [(event["agent"], event["strategy"], event["ratio"]) for event in job["adoptions"]]
    assert adoptions
    assert [
        (event["agent"], event["strategy"], event["ratio"]) for event in of("adoption", events)
    ] == adoptions
    for adoption in of("adoption", events):
        assert len(adoption["evidence"]) == len(set(adoption["evidence"])) > 0
    closed = [(event["agent"], event["generation"]) for event in of("generation", events)]
    rounds = [(name, number) for number in (0, 1, 2, "test") for name in ("tinker", "magpie")]
    assert closed == rounds
    present = events[-1]
    assert (present["event"], present["state"]) == ("present", "finished")
    best = {agent["name"]: agent["best_val"] for agent in job["agents"]}
    assert {row["agent"]: row["best_val"] for row in present["rows"]} == best
    spent = json.loads((Path(job["run"]) / "summary.json").read_text())["spending"]["total"]
    tokens = spent["prompt_tokens"] + spent["completion_tokens"]
    assert present["budget"]["spent"] == {"calls": spent["calls"], "tokens": tokens, "usd": 0.0}


def test_after_a_mark_only_what_came_since_is_told(job: Any, events: list[Any]) -> None:
    sequences = [mark["sequence"] for mark in of("mark", events)]
    assert sequences == list(range(1, len(sequences) + 1))
    since = of("mark", told(Path(job["run"]), "--after", "9"))
    assert [mark["sequence"] for mark in since] == sequences[9:]


def test_adoptions_of_a_run_without_traces_come_from_its_summary(
    job: Any, events: list[Any], run: Path
) -> None:
    folder = RunFolder(run)
    with working(folder, read_record_of(run)) as opened:
        record_dropped(folder, opened.marks, opened.writer, "none", job["adoptions"])
        drop_traces(folder, opened.marks, "none")
    assert of("adoption", told(run, "--after", "0")) == of("adoption", events) != []


def test_a_run_that_was_repaired_is_watched(tmp_path: Path) -> None:
    run = Path(pair(tmp_path, generations=1, seed=1)["run"])
    with (run / "tinker" / "gen_0" / "repo" / "task_agent.py").open("a") as file:
        file.write("# changed\n")
    pair(tmp_path, generations=1, seed=1)
    (repair,) = of("repair", told(run, "--after", "0"))
    assert repair["count"] == 1
    assert "tinker/gen_0/repo/task_agent.py" in repair["problems"][0]
    once = hyperspace("watch", run, "--once")
    assert "repaired: 1 file made again from the space: tinker/gen_0/repo" in once.stdout


def test_attached_before_and_through_a_kill_it_tells_everything_once(
    job: Any, tmp_path: Path
) -> None:
    run = tmp_path / "repo_quality" / "tinker_vs_magpie" / "seed1"
    with started("watch", run, "--wait", "--json") as watch:
        assert watch.stdout is not None
        heard = map(json.loads, watch.stdout)
        assert next(heard)["state"] == "waiting"
        with started("pair", *PAIR, *NUMBERS, "--results", tmp_path) as playing:
            assert playing.stderr is not None
            playing.stderr.readline()
            playing.send_signal(signal.SIGSTOP)  # alive, and going nowhere
            events = [*until(heard, "state", state="working")]
            assert str(playing.pid) in events[-1]["holder"]
        events += until(heard, "state", state="idle")
        once = hyperspace("watch", run, "--once")
        assert "nobody works on it; the same command, or hyperspace resume RUN, goes on" in (
            once.stdout
        )
        assert watch.poll() is None
        assert pair(tmp_path, generations=2, seed=1)["digest"] == job["digest"]
        events += heard
        assert watch.wait(60) == 0
    marks = [event["sequence"] for event in of("mark", events)]
    assert marks == list(range(1, len(marks) + 1))
    assert len(of("adoption", events)) == len(job["adoptions"])
    assert events[-1] == {"event": "state", "state": "finished", "holder": ""}


def until(events: Iterator[Any], kind: str, **fields: Any) -> Iterator[Any]:
    """The events up to the first of a kind with these fields."""
    for event in events:
        yield event
        if event["event"] == kind and fields.items() <= event.items():
            return


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that somebody has killed."""
    results = tmp_path_factory.mktemp("stopped")
    with started("pair", *PAIR, *NUMBERS, "--results", results) as playing:
        assert playing.stderr is not None
        playing.stderr.readline()
    return results / "repo_quality" / "tinker_vs_magpie" / "seed1"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_watch_that_is_detached_has_changed_nothing(
    stopped: Path, number: signal.Signals
) -> None:
    before = without_shared_memory(stopped)
    with started("watch", stopped) as watch:
        assert watch.stdout is not None
        until_line(watch, "nobody works on it")
        watch.send_signal(number)
        assert watch.wait(60) == 0
        assert watch.stderr is not None
        assert watch.stderr.read() == ""
    assert without_shared_memory(stopped) == before


def until_line(process: subprocess.Popen[str], begin: str) -> None:
    assert process.stdout is not None
    assert any(line.startswith(begin) for line in process.stdout)


def test_a_run_that_pauses_at_a_limit_says_at_which(tmp_path: Path) -> None:
    failed(hyperspace("pair", *PAIR, *NUMBERS, "--max-tokens", "20000", "--results", tmp_path), 1)
    run = tmp_path / "repo_quality" / "tinker_vs_magpie" / "seed1"
    shown = hyperspace("watch", run, "--once").stdout
    assert "paused: --max-tokens 20000 is reached" in shown
    assert "limits: tokens 20000" in shown


def test_a_run_that_has_begun_no_generation_can_be_watched(stopped: Path, tmp_path: Path) -> None:
    (tmp_path / "space.db").touch()  # the first file of a run
    (present,) = told(tmp_path, "--once")
    assert (present["state"], present["run"]) == ("waiting", None)


def test_what_is_no_run_is_a_usage_error(tmp_path: Path) -> None:
    assert "holds no run" in failed(hyperspace("watch", tmp_path / "typo"), 2)


def test_the_present_state_comes_first_or_after_what_is_asked_for_of_the_past(
    job: Any, events: list[Any]
) -> None:
    (present,) = told(Path(job["run"]))
    assert events[-1] == present
    assert [event["event"] for event in events].count("present") == 1


def test_a_run_without_its_space_is_said_to_lack_it(run: Path) -> None:
    (run / "space.db").unlink()
    assert "space.db is lost" in failed(hyperspace("watch", run, "--once"), 1)


def test_a_look_tells_only_what_is_new_and_when_the_run_is_gone(run: Path) -> None:
    follower = Follower(run)
    assert follower.look().events
    assert follower.look().events == []
    shutil.rmtree(run)
    with pytest.raises(RunDamaged, match="moved or removed"):
        follower.look()


def test_on_a_terminal_it_is_a_table_that_ends_with_the_run(run: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    command = [*HYPERSPACE, "watch", str(run)]
    with subprocess.Popen(command, cwd=ROOT, stdout=theirs, env=environment) as watch:
        os.close(theirs)
        shown = everything(ours)
        assert watch.wait(60) == 0
    assert "last val" in shown
    assert "adopted tinker_gen" in shown
    assert shown.rstrip().endswith("\x1b[?25h")  # the cursor is there again
    assert digest(run)


def everything(terminal: int) -> str:
    parts: list[bytes] = []
    try:
        while part := os.read(terminal, 4096):
            parts.append(part)
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    os.close(terminal)
    return b"".join(parts).decode()


@pytest.mark.parametrize("place", ["results", "results/file", "results/file/below", "part"])
def test_what_can_never_begin_is_not_waited_for(job: Any, tmp_path: Path, place: str) -> None:
    results = tmp_path / "results"
    shutil.copytree(job["run"], results / "domain" / "pair" / "seed1")
    (results / "file").touch()
    run = results / "domain/pair/seed1/best" if place == "part" else tmp_path / place
    assert "nothing that can be waited for" in failed(hyperspace("watch", run, "--wait"), 2)


def test_a_run_is_waited_for_before_its_state_is_shown_once(job: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with started("watch", run, "--wait", "--once") as watch:
        assert watch.stderr is not None
        assert watch.stderr.readline() == (
            f"waiting for a run to begin in {run}; Ctrl-C ends the wait\n"
        )
        shutil.copytree(job["run"], tmp_path / "beside")
        (tmp_path / "beside").rename(run)
        assert watch.communicate(timeout=300)[0].endswith("finished\n")
        assert watch.returncode == 0
