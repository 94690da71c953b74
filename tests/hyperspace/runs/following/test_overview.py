"""A run at a glance: what cannot be read is told by its state."""

from pathlib import Path

import pytest

from hyperspace.extensions.steering.requests import ask_for, pause, resume
from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Stop
from hyperspace.kernel.state.opening import working
from hyperspace.runs.folders import read_run
from hyperspace.runs.following.overview import BY_PRINCIPAL, OverviewReader
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


@pytest.mark.long
def test_a_finished_run_with_a_torn_summary_is_told_as_a_report_tells_it(tmp_path: Path) -> None:
    whole = solo(tmp_path, iterations=1)
    test, path = whole.summary["test_accuracy"], RunFolder(whole.path).summary
    path.write_bytes(path.read_bytes()[:100])
    run, overview = read_run(whole.path), OverviewReader(whole.path).read()
    assert (run.finished, overview.state) == (True, "finished")
    assert run.test == overview.test == test
    assert run.spent == overview.spent
    assert overview.why == "summary.json is truncated or no JSON object"
    assert overview.why in run.notes


@pytest.mark.long
def test_a_run_whose_space_is_damaged_is_told_from_its_files_as_in_a_report(tmp_path: Path) -> None:
    run = solo(tmp_path, iterations=1)
    whole = OverviewReader(run.path).read()
    RunFolder(run.path).space.write_bytes(b"no database")
    overview, read = OverviewReader(run.path).read(), read_run(run.path)
    assert overview.state == "damaged" and "space.db" in overview.why
    assert overview.closed == whole.closed == read.played == 1
    assert overview.best_val == whole.best_val == read.best_val
    assert overview.test == whole.test == read.test


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


def test_a_run_that_a_process_has_begun_and_not_recorded_yet_is_being_set_up(
    tmp_path: Path,
) -> None:
    run = begun(tmp_path / "seed42")
    record, kept = RunFolder(run).record, tmp_path / "kept.json"
    with working(RunFolder(run), read_record(record)):
        record.rename(kept)
        overview = OverviewReader(run).read()
        assert overview.state == "playing" and overview.why.startswith("is being set up by pid ")
        kept.rename(record)
    record.unlink()
    overview = OverviewReader(run).read()
    assert overview.state == "damaged" and "run_config.json is missing" in overview.why
