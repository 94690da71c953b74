"""Heads that were noted outside a run: who rewrites all of its folder is noticed by them."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import working
from hyperspace.kernel.state.provenance import hashes_of_record
from hyperspace.kernel.state.replacements import FileChange, Replacement
from tests.support.command import PAIR, failed, hyperspace, pair

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("anchored")


@pytest.fixture(scope="module")
def job(folder: Path) -> Any:
    anchor = ("--anchor", str(folder / "heads.jsonl"))
    return pair(folder / "results", *anchor, generations=1)


@pytest.fixture(scope="module")
def heads(folder: Path, job: Any) -> Path:
    assert Path(job["run"]).is_dir()
    return folder / "heads.jsonl"


@pytest.fixture
def rewritten(job: Any, tmp_path: Path) -> Path:
    """The same run, played once more: every file and head of it fits every other."""
    again = Path(pair(tmp_path / "results", generations=1)["run"])
    record = json.loads((again / "run_config.json").read_text())
    started = json.loads((Path(job["run"]) / "run_config.json").read_text())["started_utc"]
    record["started_utc"] = started
    (again / "run_config.json").write_text(json.dumps(record))
    folder = RunFolder(again)
    with working(folder, read_record(folder.record)) as opened:
        opened.writer.record_hashes(hashes_of_record(record))
    assert hyperspace("audit", again).returncode == 0
    return again


def test_a_head_is_appended_after_every_generation_and_at_the_end(job: Any, heads: Path) -> None:
    lines = [json.loads(line) for line in heads.read_text().splitlines()]
    closed = [(line["agent"], line["generation"]) for line in lines]
    turns = [(agent, n) for n in (0, 1, "test") for agent in ("tinker", "magpie")]
    assert closed == [*turns, ("", "end")]
    assert {line["run"] for line in lines} == {"tinker_vs_magpie/seed3"}
    assert lines[-1]["head"] == job["audit_head"]
    given = ("--anchor", heads, "--head", lines[2]["head"], "--head", job["audit_head"])
    assert hyperspace("audit", job["run"], *given).returncode == 0


def test_the_head_is_told_once_at_the_end_of_a_run(job: Any) -> None:
    done = hyperspace("resume", job["run"])
    assert done.stderr.count(f"audit head {job['audit_head']}") == 1


def test_a_folder_that_was_written_anew_is_noticed_by_a_noted_head(
    job: Any, rewritten: Path
) -> None:
    done = hyperspace("audit", rewritten, "--head", job["audit_head"])
    assert done.returncode == 1
    assert f"head {job['audit_head']}, which --head names, is not in the chain" in done.stderr


def test_a_folder_that_was_written_anew_is_noticed_by_the_file_of_heads(
    heads: Path, rewritten: Path
) -> None:
    done = hyperspace("audit", rewritten, "--anchor", heads)
    assert done.returncode == 1
    assert f"which {heads} names, is not in the chain" in done.stderr


def test_what_is_replaced_after_the_noted_head_is_told(job: Any, tmp_path: Path) -> None:
    run = Path(shutil.copytree(job["run"], tmp_path / "run"))
    folder, trace = RunFolder(run), "magpie/gen_1/llm_calls.jsonl"
    with working(folder, read_record(folder.record)) as opened:
        closed = opened.marks.closing("magpie", 1).files["llm_calls.jsonl"]
        replacement = Replacement("not kept", (FileChange(trace, closed, None),))
        opened.writer.record_replacement(replacement)
    (run / trace).unlink()
    done = hyperspace("audit", run, "--head", job["audit_head"])
    assert done.returncode == 1
    assert "1 files were not kept by entry" in done.stderr


def test_a_file_without_a_head_of_the_run_vouches_for_nothing(job: Any, tmp_path: Path) -> None:
    other = tmp_path / "heads.jsonl"
    other.write_text("torn\n")
    assert "vouches for nothing" in failed(hyperspace("audit", job["run"], "--anchor", other), 2)


def test_a_torn_line_is_passed_over_and_the_next_one_stands_alone(tmp_path: Path) -> None:
    heads = tmp_path / "heads.jsonl"
    heads.write_text('{"run":')
    run = pair(tmp_path / "results", "--anchor", str(heads), generations=1)["run"]
    assert len(heads.read_text().splitlines()) == 1 + 7
    assert hyperspace("audit", run, "--anchor", heads).returncode == 0


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("results/{run}/heads.jsonl", "lies in the run"),
        ("missing/heads.jsonl", "cannot be written"),
        ("other/logs/heads.jsonl", "lies in the run in "),
        ("pipe", "is no regular file"),
    ],
)
@pytest.mark.parametrize("way", [(), ("--dry-run",)])
def test_a_file_that_cannot_vouch_is_refused_before_any_work(
    file: str, reason: str, way: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "other" / "logs").mkdir(parents=True)
    (tmp_path / "other" / "run_config.json").touch()
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / file.format(run="repo_quality/tinker_vs_magpie/seed42")
    models = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    command = ("pair", *models, "--results", tmp_path / "results", "--anchor", path, *way)
    assert reason in failed(hyperspace(*command), 2)
    assert not (tmp_path / "results").exists()
    assert [*(tmp_path / "other" / "logs").iterdir()] == []


def test_a_dry_run_makes_no_file_of_heads(tmp_path: Path) -> None:
    heads = tmp_path / "heads.jsonl"
    done = hyperspace("pair", *PAIR, "--results", tmp_path / "r", "--anchor", heads, "--dry-run")
    assert (done.returncode, heads.exists()) == (0, False)


@pytest.mark.parametrize("file", ["pipe", "/dev/zero"])
def test_a_file_of_heads_that_never_ends_is_not_read(file: str, job: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = hyperspace("audit", job["run"], "--anchor", tmp_path / file)
    assert "cannot be read (it is no plain file of at most" in failed(done, 2)


def test_heads_in_capitals_are_the_same_heads(job: Any, heads: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in heads.read_text().splitlines()]
    capitals = tmp_path / "heads.jsonl"
    told = (json.dumps({**line, "head": line["head"].upper()}) for line in lines)
    capitals.write_text("".join(f"{line}\n" for line in told))
    assert hyperspace("audit", job["run"], "--anchor", capitals).returncode == 0


def test_a_run_that_its_file_of_heads_refutes_does_not_go_on(tmp_path: Path) -> None:
    heads, limits = tmp_path / "heads.jsonl", ("--max-tokens", "777")
    numbers = ("--generations", "1", "--seed", "3")
    play = ("pair", *PAIR, *numbers, *limits, "--results", tmp_path / "r", "--anchor", heads)
    assert hyperspace(*play).returncode == 1
    run = tmp_path / "r" / "repo_quality" / "tinker_vs_magpie" / "seed3"
    lines = [json.loads(line) for line in heads.read_text().splitlines()]
    with heads.open("a") as file:  # as if it had been further once
        file.write(json.dumps({**lines[-1], "generation": 1, "head": "ab" * 32}) + "\n")
    before = heads.read_bytes()
    said = failed(hyperspace("resume", run, "--anchor", heads), 1)
    assert f"head {'ab' * 32}, which {heads} names, is not in the chain" in said
    assert heads.read_bytes() == before
    heads.write_bytes(b"".join(before.splitlines(keepends=True)[:-1]))
    assert hyperspace("resume", run, "--anchor", heads, "--max-tokens", "none").returncode == 0


def test_the_selftest_takes_no_head() -> None:
    assert "--head" in failed(hyperspace("audit", "--selftest", "--head", "ab" * 32), 2)


@pytest.mark.parametrize("command", [["audit"], ["space", "verify"]])
def test_the_head_of_an_empty_chain_vouches_for_nothing(job: Any, command: list[str]) -> None:
    done = hyperspace(*command, job["run"], "--head", "0" * 64)
    assert "head of an empty chain" in failed(done, 2)


def test_the_head_of_an_empty_chain_in_a_file_vouches_for_nothing(
    job: Any, heads: Path, tmp_path: Path
) -> None:
    line = json.loads(heads.read_text().splitlines()[0])
    other = tmp_path / "heads.jsonl"
    other.write_text(json.dumps({**line, "head": "0" * 64}) + "\n")
    done = hyperspace("audit", job["run"], "--anchor", other)
    assert done.returncode == 1
    assert "is that of an empty chain, which vouches for nothing" in done.stderr
