"""Scores of long runs are read as columns, each look what is new, and thinned to a screen."""

import json
import math
from pathlib import Path

import msgspec
import pytest

from benchmarks.dashboard.made_fleet import make_fleet
from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import reading
from hyperspace.runs.following.columns import grid, thinned
from hyperspace.runs.following.scores import (
    MOST_CLOSINGS,
    RunScores,
    ScoreColumns,
    columns_of,
    number_at,
)
from hyperspace.runs.following.tail import LineTail
from hyperspace.runs.records import Generation, RunAgent
from tests.support.runs.begun import begun
from tests.support.runs.manifests import manifest


def line(generation: int, val: float | None, *, best: bool = False) -> bytes:
    fields = {
        "current_genid": generation,
        "parent": None,
        "valid": val is not None,
        "fitness": val or 0.0,
        "train_score": val,
        "val_score": val,
        "best": best,
        "compiled": True,
    }
    return json.dumps(fields).encode() + b"\n"


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(begun(tmp_path / "seed42"))


def scores_of(run: RunFolder) -> RunScores:
    return RunScores(run, read_record(run.record).configuration)


def test_a_look_reads_what_was_added_and_leaves_a_torn_line_for_later(run: RunFolder) -> None:
    scores, archive = scores_of(run), run.archive("tinker")
    archive.write_bytes(line(0, 0.5, best=True) + line(1, None) + line(2, 0.7, best=True)[:20])
    tinker = scores.look(None).columns["tinker"]
    assert len(tinker) == 2 and tinker.best_val == 0.5
    archive.write_bytes(line(0, 0.5, best=True) + line(1, None) + line(2, 0.7, best=True))
    tinker = scores.look(None).columns["tinker"]
    assert [number_at(tinker.val, at) for at in range(4)] == [0.5, None, 0.7, None]
    assert list(tinker.best) == [0.5, 0.5, 0.7] and tinker.best_generation == 2


def test_a_file_that_was_made_again_is_read_again(run: RunFolder) -> None:
    scores, archive = scores_of(run), run.archive("tinker")
    archive.write_bytes(line(0, 0.5, best=True) + line(1, 0.6, best=True))
    scores.look(None)
    archive.with_suffix(".new").write_bytes(line(0, 0.9, best=True))
    archive.with_suffix(".new").replace(archive)
    assert list(scores.look(None).columns["tinker"].val) == [0.9]


def test_a_line_that_is_none_is_told_and_the_other_agents_are_read(run: RunFolder) -> None:
    scores = scores_of(run)
    run.archive("tinker").write_bytes(line(0, 0.5, best=True) + b"{]\n")
    run.archive("magpie").write_bytes(line(0, 0.4, best=True))
    read = scores.look(None)
    assert any("tinker/archive.jsonl, line 2" in note for note in read.notes)
    assert read.columns["magpie"].best_val == 0.4


def test_the_sequence_is_that_of_the_newest_mark(run: RunFolder) -> None:
    scores = scores_of(run)
    config = read_record(run.record).configuration
    with reading(run, config) as marks, marks.space.store.snapshot() as reader:
        assert scores.look(marks).sequence == reader.head().sequence


@pytest.mark.long
def test_many_closings_that_no_line_tells_of_are_read_look_by_look(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "seed1")
    make_fleet(run.root, 1, MOST_CLOSINGS + 200, 2)
    run.archive("agent00").unlink()
    scores = scores_of(run)
    with reading(run, read_record(run.record).configuration) as marks:
        lengths = [len(scores.look(marks).columns["agent00"]) for _ in range(3)]
    assert lengths == [MOST_CLOSINGS, MOST_CLOSINGS + 201, MOST_CLOSINGS + 201]


def test_closings_that_no_line_tells_of_count_as_lines_do() -> None:
    columns = ScoreColumns()
    for generation, val in enumerate((0.5, 0.4, 0.8)):
        columns.take_closed(manifest(generation, val))
    columns.take_closed(manifest(1, 0.9))  # it is there already
    assert list(columns.best) == [0.5, 0.5, 0.8] and columns.best_generation == 2


def test_an_agent_that_was_read_whole_gives_the_same_columns() -> None:
    rows = (Generation(generation=0, valid=True, val=0.5), Generation(generation=2, valid=False))
    columns = columns_of(RunAgent("a", rows, test=0.25))
    assert [number_at(columns.val, at) for at in range(3)] == [0.5, None, None]
    assert columns.best_val == 0.5 and columns.test == 0.25


def test_nothing_behind_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "archive.jsonl").write_bytes(line(0, 0.5))
    (tmp_path / "agent").symlink_to(tmp_path / "outside")
    with pytest.raises(OSError, match="link"):
        list(LineTail(tmp_path / "agent" / "archive.jsonl").look(msgspec.json.Decoder()))


def test_what_fits_on_the_screen_is_shown_as_it_is() -> None:
    on = grid(2, 5, columns=10)
    assert on.is_exact and on.xs == [2, 3, 4, 5]
    assert thinned([9, 9, 1, math.nan, 3], on, "ends") == [1, None, 3, None]


def test_of_more_each_column_keeps_its_lowest_and_highest_in_their_order() -> None:
    values = [0.0, 5.0, 1.0, 2.0, 9.0, 3.0, 4.0, 4.0]
    on = grid(0, 7, columns=2)
    assert on.xs == [0, 2, 4, 6]
    assert thinned(values, on, "ends") == [0.0, 5.0, 9.0, 3.0]
    assert thinned(values, on, "last") == [2.0, 2.0, 4.0, 4.0]
    assert thinned(values, on, "sum") == [8.0, None, 20.0, None]
