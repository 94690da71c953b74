"""What commands say of unfinished work: their own, and that of the run they look at."""

import signal
import socket
import subprocess
from pathlib import Path

import pytest

from guards.sandboxes.bubblewrap.bubblewrap import probe
from hyperspace.cli.sets import complain
from hyperspace.launch.sets import MemberOutcome
from tests.support.command import HYPERSPACE, PAIR, failed, hyperspace, pair

PROCESS = ("--sandbox", "process")


def outcome(code: int) -> MemberOutcome:
    return MemberOutcome("a seed1", code, None, "hyperspace: it is so")


@pytest.mark.parametrize(
    ("codes", "expected"), [((0, 0), 0), ((2, 2), 2), ((0, 2), 1), ((1, 2), 1), ((1,), 1)]
)
def test_a_set_that_nobody_could_start_is_used_wrongly(
    codes: tuple[int, ...], expected: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complain([outcome(code) for code in codes]) == expected
    told = capsys.readouterr().err
    unfinished, unusable = codes.count(1), codes.count(2)
    goes_on = f"{unfinished} of {len(codes)} runs are not finished; the same command goes on"
    assert (goes_on in told) == ("the same command goes on" in told) == (unfinished > 0)
    put_right = f"{unusable} of {len(codes)} runs cannot be played as they are; put right what"
    assert (put_right in told) == ("cannot be played" in told) == (unusable > 0)


@pytest.mark.long
@pytest.mark.parametrize("command", [("pair", *PAIR), ("solo", "--domain", "repo_quality")])
def test_results_that_cannot_be_written_are_a_usage_error_of_each_command(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    place = ("--results", tmp_path / "file", "--generations", "1", *PROCESS)
    done = hyperspace(*command, *place)
    assert done.returncode == 2, done.stderr
    assert "use another --results folder" in done.stderr
    assert "same command goes on" not in done.stderr


@pytest.mark.long
def test_an_interrupted_command_that_plays_nothing_promises_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        name = f"m@http://127.0.0.1:{silent.getsockname()[1]}/v1"
        command = [*HYPERSPACE, "models", "--ping", name]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as asking:
            connection, _ = silent.accept()
            asking.send_signal(signal.SIGINT)
            _, told = asking.communicate(timeout=300)
            connection.close()
    assert asking.returncode == 130
    assert told.splitlines()[-1] == "hyperspace: stopped"


@pytest.mark.long
def test_an_unfinished_run_is_called_so_beside_its_digest(tmp_path: Path) -> None:
    run = Path(pair(tmp_path, *PROCESS, generations=1)["run"])
    finished = hyperspace("digest", run)
    assert finished.stderr == ""
    (run / "summary.json").unlink()
    unfinished = hyperspace("digest", run)
    assert unfinished.stdout == finished.stdout
    assert "is not finished" in unfinished.stderr
    replayed = hyperspace("replay", run, *PROCESS)
    assert replayed.returncode == 0
    assert "is not finished" in replayed.stderr


@pytest.mark.long
def test_an_audit_of_what_is_no_generation_says_which_there_are(tmp_path: Path) -> None:
    run = pair(tmp_path, *PROCESS, generations=1)["run"]
    assert "there are 0 to 1, and test" in failed(hyperspace("audit", run, "--generation", "9"), 2)
    assert "not `test`" in failed(hyperspace("audit", run, "--generation", "last"), 2)
    for generation in ("0", "1", "test"):
        assert hyperspace("audit", run, "--generation", generation).returncode == 0


@pytest.mark.parametrize(("kind", "is_told"), [("process", True), ("bubblewrap", False)])
def test_the_end_of_a_run_says_whose_digest_it_is_where_it_is_not_the_usual_one(
    kind: str, is_told: bool, tmp_path: Path
) -> None:
    if kind == "bubblewrap" and (reason := probe()):
        pytest.skip(reason)
    numbers = ("--generations", "1", "--seed", "3", "--sandbox", kind, "--results", tmp_path)
    done = hyperspace("pair", *PAIR, *numbers)
    assert done.returncode == 0, done.stderr
    told = f"the digest belongs to sandbox {kind}: code sees other paths"
    assert (told in done.stdout) == is_told
