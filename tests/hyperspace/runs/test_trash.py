"""Runs that are put away move whole, come back whole, and no link leads anywhere."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import take_lease
from hyperspace.kernel.state.opening import RunSpace
from hyperspace.kernel.state.ownership import is_own
from hyperspace.runs.finding import find_runs
from hyperspace.runs.trash import TRASH, bring_back, in_trash, put_away
from tests.support.paths import ROOT
from tests.support.runs.begun import begun


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture
def run(results: Path) -> Path:
    return begun(results / "repo_quality" / "tinker_vs_magpie" / "seed1")


def files_of(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_a_run_moves_whole_and_comes_back_as_it_was(run: Path, results: Path) -> None:
    before = files_of(run)
    trashed = put_away(run, results)
    assert not run.exists()
    assert trashed.name == "repo_quality/tinker_vs_magpie/seed1"
    assert files_of(trashed.folder(results)) == before
    assert in_trash(results) == (trashed,)
    assert not [*find_runs(results)]
    assert bring_back(trashed.entry, results) == run
    assert files_of(run) == before
    assert is_own(run)
    assert in_trash(results) == ()
    assert not [*(results / TRASH).iterdir()]


def test_runs_of_one_name_lie_beside_each_other(run: Path, results: Path) -> None:
    first = put_away(run, results)
    begun(run)
    second = put_away(run, results)
    assert {each.entry for each in in_trash(results)} == {first.entry, second.entry}
    bring_back(second.entry, results)
    with pytest.raises(RunUsageError, match="is there again"):
        bring_back(first.entry, results)
    assert in_trash(results) == (first,)


def test_a_run_that_is_worked_on_stays(run: Path, results: Path) -> None:
    space = RunSpace(RunFolder(run).space, read_record_of(run).configuration)
    lease = take_lease(space.marks.space, run)
    with pytest.raises(RunUsageError, match="is being worked on by pid"):
        put_away(run, results)
    assert run.is_dir() and in_trash(results) == ()
    lease.release()
    space.close()
    put_away(run, results)


def test_no_link_is_followed(run: Path, results: Path, tmp_path: Path) -> None:
    link = results / "repo_quality" / "linked"
    link.symlink_to(run.parent)
    for path in (link / "seed1", link):
        with pytest.raises(RunUsageError, match="link"):
            put_away(path, results)
    (results / "seed9").symlink_to(run)
    with pytest.raises(RunUsageError, match="a link is not followed"):
        put_away(results / "seed9", results)
    outside = tmp_path / "outside"
    outside.mkdir()
    (results / TRASH).symlink_to(outside)
    with pytest.raises(RunUsageError, match="links are not followed"):
        put_away(run, results)
    assert in_trash(results) == () and run.is_dir() and not [*outside.iterdir()]


def test_links_within_a_run_are_moved_with_it(run: Path, results: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (run / "link").symlink_to(tmp_path / "mine")
    trashed = put_away(run, results)
    assert (trashed.folder(results) / "link").is_symlink()
    assert (tmp_path / "mine").read_text() == "mine"


def test_what_is_no_run_below_the_folder_stays(run: Path, results: Path, tmp_path: Path) -> None:
    outside = begun(tmp_path / "elsewhere" / "seed1")
    for path, told in (
        (outside, "is not below"),
        (results, "is not below"),
        (results / ".." / "elsewhere" / "seed1", "is not below"),
        (results / "repo_quality", "holds no run"),
        (results / "nothing", "does not exist"),
        (put_away(run, results).folder(results), "in the trash folder already"),
    ):
        with pytest.raises(RunUsageError, match=told):
            put_away(path, results)
    assert outside.is_dir()


def test_a_run_that_is_damaged_or_cannot_be_read_is_put_away_too(run: Path, results: Path) -> None:
    (run / "run_config.json").write_text("{")
    trashed = put_away(run, results)
    assert bring_back(trashed.entry, results) == run


def test_names_of_255_bytes_keep_their_place(results: Path) -> None:
    run = begun(results / "short" / "seed1").parent.rename(results / ("n" * 255)) / "seed1"
    trashed = put_away(run, results)
    assert bring_back(trashed.entry, results) == run


@pytest.mark.parametrize("entry", ["..", "../..", "", "20261123T120000_zz", "\x00", "a/b"])
def test_an_entry_that_is_none_is_a_sentence(entry: str, run: Path, results: Path) -> None:
    put_away(run, results)
    with pytest.raises(RunUsageError, match="has no run under"):
        bring_back(entry, results)


KILLED = """
import os, signal, sys
from pathlib import Path
from hyperspace.runs.trash import bring_back, in_trash, put_away

run, results, number = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
calls = 0

def die(event, args):
    global calls
    if event in ("os.mkdir", "os.rename", "os.rmdir"):
        calls += 1
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(die)
put_away(run, results)
bring_back(in_trash(results)[0].entry, results)
"""


@pytest.mark.long
def test_killed_at_any_change_the_run_is_whole_in_one_of_both(run: Path, results: Path) -> None:
    before = files_of(run)
    for number in range(1, 30):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(run), str(results), str(number)],
            check=False,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        away = in_trash(results)
        assert run.is_dir() is not bool(away), number
        if away:
            assert files_of(away[0].folder(results)) == before
            bring_back(away[0].entry, results)
        assert files_of(run) == before
        if done.returncode == 0:
            assert number > 8
            return
        assert done.returncode == -signal.SIGKILL
    pytest.fail("it changes more than it should")
