"""A run at a glance: what cannot be read is told by its state."""

from pathlib import Path

import pytest

from evolution.state.config import read_record
from evolution.state.folder import RunFolder
from evolution.state.manifest import Stop
from evolution.state.opening import working
from evolution.state.steering.requests import ask_for, pause, resume
from runs.following.overview import BY_PRINCIPAL, OverviewReader
from tests.support.command import hyperspace
from tests.support.runs.begun import begun
from tests.support.runs.solos import MODEL, solo


def test_a_run_that_paused_says_why(tmp_path: Path) -> None:
    run = begun(tmp_path / "seed42", Stop("--max-usd 1 is reached", "2026-01-01T00:00:00Z"))
    RunFolder(run).summary.unlink()
    line = '{"agent":"","kind":"budget","verdict":"paused","reason":"--max-usd 1 is reached"}\n'
    RunFolder(run).audit.write_text(line)
    overview = OverviewReader(run).read()
    assert (overview.state, overview.why) == ("paused", "--max-usd 1 is reached")


def test_a_run_that_nobody_works_on_is_stopped(tmp_path: Path) -> None:
    run = begun(tmp_path / "seed42")
    RunFolder(run).summary.unlink()
    assert OverviewReader(run).read().state == "stopped"


def test_a_summary_from_before_a_run_was_extended_does_not_make_it_finished(tmp_path: Path) -> None:
    run = begun(tmp_path / "seed42")  # with a summary, and no final evaluation
    assert OverviewReader(run).read().state == "stopped"


@pytest.mark.long
def test_an_extended_run_that_a_limit_paused_is_paused(tmp_path: Path) -> None:
    first = solo(tmp_path, iterations=1)
    total = first.summary["spending"]["total"]["calls"]
    before = OverviewReader(first.path).read()
    assert (before.state, before.test) == ("finished", first.summary["test_accuracy"])
    options = ("--no-controls", "--results", tmp_path, "--iterations", "9")
    limit = ("--max-calls", str(2 * total))
    done = hyperspace("solo", "--model", MODEL, "--domain", "repo_quality", *options, *limit)
    assert done.returncode == 1, done.stderr
    overview = OverviewReader(first.path).read()
    assert (overview.state, overview.planned, overview.test) == ("paused", 9, None)
    assert "--max-calls" in overview.why
    assert overview.spent is not None and overview.spent.calls > total


def test_a_run_that_its_principal_paused_waits_and_is_not_told_as_playing(tmp_path: Path) -> None:
    run = begun(tmp_path / "seed42")
    RunFolder(run).summary.unlink()
    ask_for(run, pause())
    paused = OverviewReader(run).read()
    assert (paused.state, paused.why) == ("paused", BY_PRINCIPAL)
    with working(RunFolder(run), read_record(RunFolder(run).record)):
        overview = OverviewReader(run).read()
        assert (overview.state, overview.why) == ("waiting", "paused by the principal")
        ask_for(run, resume())
        assert OverviewReader(run).read().state == "playing"


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ('{"format": 1, "configuration": 5', "run_config.json is damaged"),
        ('{"format": 99, "configuration": {}}', "has run format 99 and this version reads 1"),
        ("[]", "run_config.json"),
    ],
)
def test_a_run_that_cannot_be_read_says_why(tmp_path: Path, record: str, why: str) -> None:
    (tmp_path / "run_config.json").write_text(record)
    overview = OverviewReader(tmp_path).read()
    assert overview.state == "damaged" and why in overview.why


def test_a_run_without_its_space_is_damaged(tmp_path: Path) -> None:
    run = begun(tmp_path / "seed42")
    RunFolder(run).space.unlink()
    overview = OverviewReader(run).read()
    assert overview.state == "damaged" and "space.db is lost" in overview.why
