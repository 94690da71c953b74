"""Our run folders are known by what they hold, wherever they lie."""

import shutil
from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunDamaged
from hyperspace.runs.finding import read_runs
from hyperspace.runs.folders import read_run
from hyperspace.runs.following.follower import Follower
from tests.support.runs.begun import begun
from tests.support.runs.published_runs import Generation, write_run


def test_a_run_is_named_after_its_record_wherever_it_was_moved(tmp_path: Path) -> None:
    begun(tmp_path / "nc" / "copied")
    begun(tmp_path / "nc" / "seed42")
    runs = [(run.pairing, run.seed, Path(run.source).name) for run in read_runs(tmp_path)]
    assert runs == [("tinker_vs_magpie", 42, "copied"), ("tinker_vs_magpie", 42, "seed42")]


def test_a_run_without_its_space_is_a_damaged_one_and_no_published_one(tmp_path: Path) -> None:
    run = begun(tmp_path / "nc" / "moved")
    (run / "space.db").unlink()
    for base in (run, run.parent, tmp_path):
        with pytest.raises(RunDamaged, match=r"moved/space\.db is lost"):
            list(read_runs(base))


def test_a_watch_says_whether_the_run_or_its_space_is_missing(tmp_path: Path) -> None:
    run = begun(tmp_path / "run")
    follower = Follower(run)
    assert follower.look().events
    (run / "space.db").unlink()
    for watch in (follower, Follower(run)):
        with pytest.raises(RunDamaged, match=r"space\.db is lost"):
            watch.look()
    shutil.rmtree(run)
    with pytest.raises(RunDamaged, match="moved or removed"):
        follower.look()


def test_a_published_run_with_records_of_its_own_is_read_as_one(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a_vs_b" / "seed3", {"a": [Generation("a = 1\n")]})
    (path / "run_config.json").write_text('{"model": "a", "seed": 3}')
    assert [agent.name for agent in read_run(path).agents] == ["a"]
