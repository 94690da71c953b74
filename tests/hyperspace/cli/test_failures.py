"""Failures of the machine and of paths: a sentence, the path that was meant, the exit code."""

import errno
import os
from pathlib import Path

import pytest

from hyperspace.cli.failures import FAILED, USAGE, Failure, explain
from tests.support.command import PAIR, failed, hyperspace

SOLO = ("solo", "--domain", "repo_quality", "--no-controls", "--iterations", "1")
LONG = "x" * 300


def explained(number: int, path: Path, *named: Path) -> Failure:
    failure = explain(OSError(number, os.strerror(number), str(path)), named)
    assert failure is not None
    return failure


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_room_can_be_made_and_is_no_usage_error(number: int, tmp_path: Path) -> None:
    failure = explained(number, tmp_path / "x", tmp_path / "x")
    assert failure.code == FAILED
    assert "make room" in failure.message


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.EFBIG, "ulimit -f"),
        (errno.EMFILE, "ulimit -n"),
        (errno.EIO, "look at the disk"),
        (errno.EROFS, "may write"),
        (errno.EACCES, "may write"),
    ],
)
def test_what_no_room_would_help_is_not_told_to_make_room(
    number: int, advice: str, tmp_path: Path
) -> None:
    failure = explained(number, tmp_path / "x")
    assert failure.code == FAILED
    assert advice in failure.message
    assert "make room" not in failure.message


def test_a_path_that_was_named_and_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    page = tmp_path / "folder" / "page.html"
    beside = page.with_name(f".page.html.{os.getpid()}.tmp")
    for failing in (beside, page, page.parent):
        failure = explained(errno.EACCES, failing, page)
        assert failure.code == USAGE
        assert ".tmp" not in failure.message
    assert explained(errno.EACCES, tmp_path / "other", page).code == FAILED
    assert str(page) in explained(errno.EACCES, beside, page).message


@pytest.mark.parametrize("command", ["digest", "report", "audit", "replay"])
def test_a_path_with_a_line_feed_takes_one_line(command: str, tmp_path: Path) -> None:
    said = hyperspace(command, tmp_path / "two\nlines\tand a tab").stderr
    assert said.count("\n") == 1
    assert r"two\nlines\tand a tab does not exist" in said


def test_a_missing_file_that_nobody_named_is_a_defect_of_ours(tmp_path: Path) -> None:
    error = FileNotFoundError(errno.ENOENT, "gone", str(tmp_path / "ours"))
    assert explain(error, [tmp_path / "theirs"]) is None


@pytest.mark.long
def test_links_in_a_circle_are_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    done = hyperspace("pair", *PAIR, "--results", tmp_path / "a")
    assert str(tmp_path / "a") in failed(done, 2)


@pytest.mark.long
@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_cache_that_can_be_no_folder_is_refused_before_anything_is_made(
    place: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    results = tmp_path / "results"
    for command in (("pair", *PAIR), SOLO):
        done = hyperspace(*command, "--cache", tmp_path / place, "--results", results)
        assert f"{tmp_path / 'file'} is no folder" in failed(done, 2)
    assert not results.exists()


@pytest.mark.long
def test_names_that_are_too_long_are_a_usage_error(tmp_path: Path) -> None:
    for options in (("pair", *PAIR, "--results", LONG), (*SOLO, "--experiment", LONG)):
        assert "too long" in failed(hyperspace(*options, cwd=tmp_path), 2)


@pytest.mark.long
@pytest.mark.parametrize("command", ["report", "eval_progress"])
@pytest.mark.parametrize("option", ["--png", "--html"])
def test_figures_below_a_file_are_refused_before_the_work(
    command: str, option: str, tmp_path: Path
) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("arm,seed,generation,val_score\na,1,0,0.5\n")
    done = hyperspace(command, table, option, table / "figure.html")
    assert f"{table} is no folder" in failed(done, 2)


def test_a_corpus_below_a_file_is_refused(tmp_path: Path) -> None:
    from benchmarks.detectors.__main__ import main

    (tmp_path / "file").write_text("mine")
    assert main(["build", str(tmp_path / "file"), "--half", "mini"]) == 2


@pytest.mark.long
def test_a_link_in_place_of_a_file_of_a_run_is_named_and_not_written_through(
    tmp_path: Path,
) -> None:
    played = ("solo", "--domain", "repo_quality", "--no-controls", "--model", "offline/tinker")
    assert hyperspace(*played, "--iterations", "1", "--results", tmp_path).returncode == 0
    (path,) = tmp_path.rglob("ledger.jsonl")
    aside = path.rename(tmp_path / "aside")
    before = aside.read_bytes()
    path.symlink_to(aside)
    done = hyperspace("resume", path.parent, "--generations", "2")
    assert done.returncode == FAILED
    last = done.stderr.splitlines()[-1]
    assert "ledger.jsonl is a link; put a plain file in its place, and start again" in last
    assert "Traceback" not in done.stderr
    assert aside.read_bytes() == before
    path.unlink()
    aside.rename(path)
    assert hyperspace("resume", path.parent, "--generations", "2").returncode == 0
