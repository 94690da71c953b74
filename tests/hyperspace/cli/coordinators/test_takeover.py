"""A coordinator that dies or stands still is taken over elsewhere; two of one run are refused."""

import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from uuid import uuid4

import pytest

from hyperspace.audit.audit import Filter, read_audit
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.scopes import GENERATIONS
from markspace import Action
from tests.support.command import HYPERSPACE, PAIR, hyperspace, pair
from tests.support.paths import ROOT
from tests.support.servers.postgres_server import PostgresServer
from transfer_experiment.result import result_on_record

pytestmark = pytest.mark.postgres
SEED = ("--generations", "2", "--seed", "3")
LONG = ("--generations", "200", "--seed", "3")
PLACE = "repo_quality/tinker_vs_magpie/seed3"
PATIENCE_S = 300


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the run."""
    return pair(tmp_path_factory.mktemp("expected"))["digest"]


@pytest.fixture
def address(postgres: PostgresServer) -> str:
    """The address of a fresh space."""
    return f"{postgres.dsn}&space=t{uuid4().hex[:20]}"


def coordinator(
    results: Path, address: str, *options: str, long: bool = False
) -> "subprocess.Popen[str]":
    """Start a coordinator of the run, or of one that is not done soon."""
    numbers = LONG if long else SEED
    command = [*HYPERSPACE, "pair", *PAIR, *numbers, "--space", address, *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [*command, "--results", str(results)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )


def until_closed(results: Path, agent: str, generation: int) -> None:
    """Wait until a generation of a run is there."""
    folder, deadline = results / PLACE / agent / f"gen_{generation}", time.monotonic() + PATIENCE_S
    while not folder.exists():
        assert time.monotonic() < deadline, "the coordinator does not come on"
        time.sleep(0.02)


def taken_over(*words: str) -> "subprocess.CompletedProcess[str]":
    """Give a command again and again until the lease of the one before has run out."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        done = hyperspace(*words, timeout_s=PATIENCE_S)
        if "is being worked on by" not in done.stderr or time.monotonic() > deadline:
            return done
        assert done.returncode == 1
        assert "Traceback" not in done.stderr


def check(run: Path, expected: str) -> None:
    """Check that a run is whole, and that nothing of it was written twice."""
    assert digest(run) == expected
    audit = read_audit(run, Filter(None, None, None), [], None, result_on_record)
    assert audit.passed
    with reading(RunFolder(run), read_record_of(run).configuration) as marks:
        closed = Counter(
            (mark.scope, mark.resource)
            for _, mark in marks.space.history()
            if isinstance(mark, Action) and mark.scope.startswith(f"{GENERATIONS}/")
        )
    assert set(closed.values()) == {1}
    assert len(closed) == 8


def test_a_killed_coordinator_is_taken_over_from_another_folder(
    tmp_path: Path, address: str, expected: str
) -> None:
    first = coordinator(tmp_path / "one", address)
    until_closed(tmp_path / "one", "magpie", 0)
    first.kill()
    first.communicate()
    words = ("--space", address, "--results", str(tmp_path / "two"))
    done = taken_over("pair", *PAIR, *SEED, *words)
    assert done.returncode == 0, done.stderr
    run = tmp_path / "two" / PLACE
    check(run, expected)
    traces = [path.parent.name for path in (run / "tinker").glob("gen_*/llm_calls.jsonl")]
    assert sorted(traces) == ["gen_1", "gen_2"] or sorted(traces) == ["gen_0", "gen_1", "gen_2"]
    assert "what lay in another one alone is not in it" in (run / "audit.jsonl").read_text()
    assert hyperspace("replay", run, timeout_s=PATIENCE_S).returncode == 0


def test_a_coordinator_that_stood_still_past_its_lease_writes_no_more(
    tmp_path: Path, address: str, expected: str
) -> None:
    first = coordinator(tmp_path / "one", address)
    until_closed(tmp_path / "one", "tinker", 0)
    first.send_signal(signal.SIGSTOP)
    done = taken_over("resume", address, "--results", str(tmp_path / "two"))
    assert done.returncode == 0, done.stderr
    first.send_signal(signal.SIGCONT)
    said = first.communicate(timeout=PATIENCE_S)[0]
    assert first.returncode == 1, said
    assert "another has taken its run over" in said
    assert "Traceback" not in said
    run = tmp_path / "two" / PLACE
    check(run, expected)
    ledger = (run / "ledger.jsonl").read_bytes()
    again = hyperspace("resume", address, "--results", tmp_path / "three")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "three" / PLACE / "ledger.jsonl").read_bytes().startswith(ledger)
    check(tmp_path / "three" / PLACE, expected)


def test_two_coordinators_of_one_run_are_one_sentence(tmp_path: Path, address: str) -> None:
    first = coordinator(tmp_path / "one", address, long=True)  # it ends when it is killed
    both = [first]
    try:
        until_closed(tmp_path / "one", "tinker", 0)
        both.append(coordinator(tmp_path / "two", address, long=True))
        refused = ended_first(both)
    finally:
        for process in both:
            process.kill()
        outputs = [process.communicate()[0] for process in both]
    said = outputs[both.index(refused)]
    assert refused.returncode == 1, said
    assert "Traceback" not in said
    # A busy machine may have let the first stand still for longer than its lease.
    why = "another has taken its run over" if refused is first else "is being worked on by pid"
    assert why in said.strip().splitlines()[-1]


def ended_first(processes: "list[subprocess.Popen[str]]") -> "subprocess.Popen[str]":
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for process in processes:
            if process.poll() is not None:
                return process
        time.sleep(0.02)
    raise AssertionError("none of them ends")


def test_an_address_without_a_run_is_said(postgres: PostgresServer, tmp_path: Path) -> None:
    for address, why in (
        (f"{postgres.dsn}&space=nothing_here", "holds no run"),
        (postgres.dsn, "space=NAME"),
        ("postgresql://me:s3cret@host/db?space=a", "PGPASSWORD"),
    ):
        done = hyperspace("resume", address, "--results", tmp_path)
        assert done.returncode == 2, done.stderr
        assert why in done.stderr
        assert "s3cret" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_somebody_else_began_is_not_gone_on_with_without_trust(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair(tmp_path / "one", "--space", address, generations=1)
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    done = hyperspace("resume", address, "--results", tmp_path / "two")
    assert done.returncode == 2, done.stderr
    assert "add --trust" in done.stderr
    trusted = hyperspace("resume", address, "--results", tmp_path / "two", "--trust")
    assert trusted.returncode == 0, trusted.stderr
