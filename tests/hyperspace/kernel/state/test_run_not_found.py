"""A folder without a run: what is said of it, and of the runs that are near."""

from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.run_not_found import RECORD
from tests.support.command import PAIR, failed, hyperspace


def run_in(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / RECORD).write_text("{")
    return folder


def said_of(folder: Path) -> str:
    with pytest.raises(RunUsageError) as told:
        read_record_of(folder)
    return str(told.value)


def test_runs_below_are_listed_up_to_five(tmp_path: Path) -> None:
    runs = [run_in(tmp_path / "d" / "e" / "arm" / f"seed{n}") for n in range(5)]
    assert said_of(tmp_path).endswith(f"below it: {', '.join(map(str, runs))}")
    run_in(tmp_path / "d" / "e" / "other" / "seed0")
    assert said_of(tmp_path).endswith("and more")


def test_a_part_of_a_run_names_the_run(tmp_path: Path) -> None:
    run = run_in(tmp_path / "seed1")
    (run / "tinker").mkdir()
    assert said_of(run / "tinker").endswith(f"a part of the run {run.resolve()}")


def test_what_does_not_exist_is_not_said_to_be_empty(tmp_path: Path) -> None:
    assert "does not exist" in said_of(tmp_path / "typo")
    (tmp_path / "file").write_text("")
    assert said_of(tmp_path / "file").endswith("file is no folder")
    assert "no run_config.json" in said_of(tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("command", ["watch", "audit", "export", "digest", "resume", "replay"])
def test_every_command_that_reads_a_run_lists_those_that_are_there(
    command: str, tmp_path: Path
) -> None:
    run = run_in(tmp_path / "d" / "a_vs_b" / "seed1")
    assert str(run) in failed(hyperspace(command, tmp_path), 2)


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        (*PAIR, "--initial", "/nowhere"),
        (*PAIR, "--from-run", "/nowhere"),
        ("--models", "replay:/nowhere#x", "offline/tinker", "--domain", "repo_quality"),
    ],
)
def test_a_folder_to_start_from_that_is_not_there_is_said_so(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    said = failed(hyperspace("pair", *options, "--results", tmp_path), 2)
    assert "/nowhere" in said
    assert "does not exist" in said or "there is no folder" in said
    assert "Errno" not in said


def test_a_damaged_record_is_called_damaged_with_what_is_wrong_in_it(tmp_path: Path) -> None:
    said = said_of(run_in(tmp_path / "seed1"))
    assert "is damaged (Input data was truncated)" in said
    assert "restore it" in said
