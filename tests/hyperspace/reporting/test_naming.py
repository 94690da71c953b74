"""Titles of panels: no two runs are called alike."""

from pathlib import Path

from hyperspace.reporting.curves import titles_of
from hyperspace.runs.finding import read_scored
from tests.replication.report.runs import ours, run


def test_domain_and_experiment_are_named_where_there_are_several() -> None:
    first = run("a", 1, [0.1], domain="x", experiment="first")
    same = run("a", 2, [0.1], domain="x", experiment="first")
    assert titles_of([first, same]) == ["a seed 1", "a seed 2"]
    later = run("a", 1, [0.1], domain="x", experiment="second")
    assert titles_of([first, later]) == ["first/a seed 1", "second/a seed 1"]
    other = run("a", 1, [0.1], domain="y", experiment="first")
    assert titles_of([first, other]) == ["x/a seed 1", "y/a seed 1"]


def test_copies_of_a_run_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    ours(tmp_path / "results", "a", 1, [0.1]).rename(tmp_path / "old")
    ours(tmp_path / "results", "a", 1, [0.1]).rename(tmp_path / "new")
    ours(tmp_path, "a", 2, [0.1])
    assert titles_of(read_scored(tmp_path)) == ["a seed 1 (new)", "a seed 1 (old)", "a seed 2"]
