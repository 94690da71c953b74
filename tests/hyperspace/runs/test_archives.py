"""Archives: of a run that was read, and of a long one from archive.jsonl alone."""

import json
from pathlib import Path

import pytest

from hyperspace.runs.archives import archives_of, read_archives
from hyperspace.runs.folders import read_run
from tests.support.command import pair
from tests.support.runs.published_runs import Generation, write_run


def test_the_best_generation_and_what_is_not_valid_are_told(tmp_path: Path) -> None:
    rows = [Generation("a = 1\n", 0.4), Generation("a = 2\n", 0.6), Generation("a =\n", error="no")]
    run = write_run(tmp_path / "a_vs_b" / "seed1", {"a": rows, "b": rows[:1]})
    first, second = archives_of(read_run(run))
    assert [(row.generation, row.valid, row.is_best) for row in first.rows] == [
        (0, True, False),
        (1, True, True),
        (2, False, False),
    ]
    assert [row.is_best for row in second.rows] == [True]


@pytest.mark.long
def test_archive_files_tell_what_the_space_tells(tmp_path: Path) -> None:
    pair(tmp_path, generations=3)
    run = tmp_path / "repo_quality" / "tinker_vs_magpie" / "seed3"
    assert read_archives(run) == archives_of(read_run(run))


@pytest.mark.long
def test_a_damaged_line_is_left_out_and_one_that_is_being_written_is_not_read(
    tmp_path: Path,
) -> None:
    pair(tmp_path)
    run = tmp_path / "repo_quality" / "tinker_vs_magpie" / "seed3"
    path = run / "tinker" / "archive.jsonl"
    first, *_ = path.read_text().splitlines()
    path.write_text(f"{first}\nnonsense\n{json.dumps({'current_genid': 2})}")
    tinker, _ = read_archives(run)
    assert [row.generation for row in tinker.rows] == [0]
    assert tinker.notes == ("1 lines of archive.jsonl of tinker are damaged",)
