"""A run as one file: the same bytes each time, verified, and without what must not leave."""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from zstandard import ZstdDecompressor

from hyperspace.kernel.state.digest import digest
from tests.support.command import PAIR, failed, hyperspace, kill_at, pair
from tests.support.runs.copied import copied
from tests.support.servers.server import ROOT

pytestmark = pytest.mark.long

INSIDE = Path("repo_quality/tinker_vs_magpie/seed3")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(pair(tmp_path_factory.mktemp("results"))["run"])


def exported(run: Path, target: Path, *options: str) -> Any:
    done = hyperspace("export", run, "--out", target, *options, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def unpacked(target: Path, folder: Path) -> Path:
    if target.suffix == ".zst":
        with (
            target.open("rb") as file,
            ZstdDecompressor().stream_reader(file) as stream,
            tarfile.open(fileobj=stream, mode="r|") as archive,
        ):
            archive.extractall(folder, filter="data")
    elif target.suffix == ".zip":
        shutil.unpack_archive(target, folder)
    else:
        shutil.unpack_archive(target, folder, filter="data")
    return folder / INSIDE


@pytest.mark.parametrize("name", ["run.tar.gz", "run.zip", "run.tar.zst"])
def test_an_export_is_the_run_with_a_hash_of_every_file(
    run: Path, tmp_path: Path, name: str
) -> None:
    told = exported(run, tmp_path / name)
    copy = unpacked(tmp_path / name, tmp_path / "copy")
    listed = json.loads((copy / "export.json").read_text())
    for file in listed["files"]:
        content = (copy / file["path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        assert len(content) == file["size_bytes"]
    assert {file["path"] for file in listed["files"]} >= {"space.db", "run_config.json"}
    assert told["digest"] == listed["digest"] == digest(copy) == digest(run)
    assert listed["audit_head"] in hyperspace("audit", copy).stdout
    assert (listed["finished"], listed["redacted"], listed["audit_problem"]) == (True, False, "")


def test_two_exports_are_the_same_bytes(run: Path, tmp_path: Path) -> None:
    for options in ((), ("--redact",)):
        folder = tmp_path / "-".join(("of", *options))
        for name in ("one.tar.gz", "two.tar.gz", "one.zip", "two.zip"):
            exported(run, folder / name, *options)
        assert (folder / "one.tar.gz").read_bytes() == (folder / "two.tar.gz").read_bytes()
        assert (folder / "one.zip").read_bytes() == (folder / "two.zip").read_bytes()


def test_an_unpacked_run_can_be_replayed(run: Path, tmp_path: Path) -> None:
    exported(run, tmp_path / "run.zip")
    copy = unpacked(tmp_path / "run.zip", tmp_path / "copy")
    done = hyperspace("replay", copy, "--json")
    assert json.loads(done.stdout)["same"], done.stderr


def test_a_packed_space_opens_from_a_read_only_folder(run: Path, tmp_path: Path) -> None:
    exported(run, tmp_path / "run.zip")
    copy = unpacked(tmp_path / "run.zip", tmp_path / "copy")
    assert list(copy.glob("space.db*")) == [copy / "space.db"]
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    command = [sys.executable, "-m", "hyperspace", "digest", str(copy)]
    inside = ["unshare", "-m", "sh", "-c", script, "sh", str(copy), *command]
    done = subprocess.run(inside, capture_output=True, text=True, check=False, cwd=ROOT)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"this test mounts a folder read-only, which is refused here: {done.stderr}")
    assert done.stdout.strip() == digest(run), done.stderr


def texts(run: Path) -> set[str]:
    """What was said in a run, as far as it is long enough to be told from other text."""
    found: set[str] = set()
    for trace in run.rglob("llm_calls.jsonl"):
        for line in trace.read_text().splitlines():
            call = json.loads(line)
            made = [tool["function"]["arguments"] for tool in call["tool_calls"] or ()]
            contents = [message["content"] for message in call["messages"]]
            found.update([call["response"], *made, *contents])
    return {text for text in found if len(text) >= 30}


def test_a_redacted_export_holds_nothing_that_was_said(run: Path, tmp_path: Path) -> None:
    told = exported(run, tmp_path / "run.zip", "--redact")
    copy = unpacked(tmp_path / "run.zip", tmp_path / "copy")
    said = [json.dumps(text)[1:-1].encode() for text in texts(run)]
    assert len(said) > 10
    for path in copy.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert not any(text in content for text in said), path
    assert digest(copy) == digest(run) == told["digest"]
    assert hyperspace("audit", copy).returncode == 0
    changed = {file["path"]: file["original_sha256"] for file in told["files"]}
    for redaction in told["redactions"]:
        original = (run / redaction["path"]).read_bytes()
        assert changed[redaction["path"]] == hashlib.sha256(original).hexdigest()


def test_the_structure_of_a_trace_survives_its_redaction(run: Path, tmp_path: Path) -> None:
    exported(run, tmp_path / "run.zip", "--redact")
    copy = unpacked(tmp_path / "run.zip", tmp_path / "copy")
    place = Path("magpie/gen_1/llm_calls.jsonl")
    before, after = (
        [json.loads(line) for line in (folder / place).read_text().splitlines()]
        for folder in (run, copy)
    )
    for name in ("call_id", "request_sha256", "usage", "finish", "seconds", "returned_model"):
        assert [call[name] for call in after] == [call[name] for call in before]
    assert [[m["role"] for m in call["messages"]] for call in after] == [
        [m["role"] for m in call["messages"]] for call in before
    ]
    text = before[0]["response"]
    size, sha256 = len(text), hashlib.sha256(text.encode()).hexdigest()
    assert after[0]["response"] == f"[redacted: {size} characters, SHA-256 {sha256}]"


def test_homes_hosts_and_users_are_taken_out_and_listed(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / INSIDE
    shutil.copytree(run, copy)
    record = json.loads((copy / "run_config.json").read_text())
    record["command"] += [
        "/home/ada/keys",
        "m@http://gpu.example.org:8000/v1",
        socket.gethostname(),
    ]
    (copy / "run_config.json").write_text(json.dumps(record))
    told = exported(copy, tmp_path / "run.zip", "--redact")
    clean = unpacked(tmp_path / "run.zip", tmp_path / "clean")
    text = (clean / "run_config.json").read_text()
    assert not any(name in text for name in ("/ada", "gpu.example.org", str(tmp_path)))
    assert "m@http://[host]:8000/v1" in text
    (counts,) = [r["counts"] for r in told["redactions"] if r["path"] == "run_config.json"]
    assert counts["home"] == 1
    assert counts["host"] >= 1


def test_links_and_unclosed_work_are_left_out_and_named(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / INSIDE
    copied(run, copy)
    (copy / "tinker" / "passwords").symlink_to("/etc/passwd")
    (copy / "tinker" / ".gen_3").mkdir()
    (copy / "tinker" / ".gen_3" / "llm_calls.jsonl").write_text("")
    os.mkfifo(copy / "pipe")
    told = exported(copy, tmp_path / "run.tar.gz")
    assert told["left_out"] == ["pipe", "tinker/.gen_3/llm_calls.jsonl", "tinker/passwords"]


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    numbers = ("--generations", "1", "--seed", "5", "--results", tmp_path / "results")
    kill_at(tmp_path / "log", "magpie:0:gate", "pair", *PAIR, *numbers)
    run = tmp_path / "results" / "repo_quality" / "tinker_vs_magpie" / "seed5"
    told = exported(run, tmp_path / "run.zip", "--redact")
    assert (told["finished"], told["digest"]) == (False, digest(run))
    assert told["names_kept"] == []


def test_a_run_that_was_moved_tells_nothing_of_where_it_lies(run: Path, tmp_path: Path) -> None:
    moved = tmp_path / "ada" / "private"
    shutil.copytree(run, moved)
    told = exported(moved, tmp_path / "run.zip", "--redact")
    assert told["run"] == "repo_quality/tinker_vs_magpie/seed3"


def test_a_run_that_is_not_as_it_was_closed_is_not_exported(run: Path, tmp_path: Path) -> None:
    cut = shutil.copytree(run, tmp_path / "cut")
    with (cut / "magpie" / "gen_1" / "llm_calls.jsonl").open("r+b") as trace:
        trace.truncate(300)
    for options in ((), ("--redact",)):
        said = failed(hyperspace("export", cut, "--out", tmp_path / "run.zip", *options), 1)
        through = "magpie gen 1: llm_calls.jsonl was changed or lost since it was closed"
        assert through in said and through in hyperspace("audit", cut).stderr
        assert f"`hyperspace resume {cut}`" in said
    assert not (tmp_path / "run.zip").exists()


@pytest.mark.parametrize(
    ("name", "reason"),
    [("run.rar", ".tar.gz"), ("mine/run.zip", "is no folder"), ("folder.zip", "no regular file")],
)
def test_a_file_that_cannot_be_is_a_usage_error(
    run: Path, tmp_path: Path, name: str, reason: str
) -> None:
    (tmp_path / "folder.zip").mkdir()
    (tmp_path / "mine").write_text("")
    assert reason in failed(hyperspace("export", run, "--out", tmp_path / name), 2)
    assert failed(hyperspace("export", tmp_path, "--out", tmp_path / "x.zip"), 2)
    assert not (tmp_path / "x.zip").exists()


@pytest.mark.parametrize("options", [(), ("--redact",)])
def test_what_has_the_name_of_an_export_stays(
    run: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    precious, link = tmp_path / "precious.zip", tmp_path / "link.zip"
    precious.write_text("precious")
    link.symlink_to(tmp_path / "nothing")
    for target in (precious, link):
        said = failed(hyperspace("export", run, "--out", target, *options), 2)
        assert f"{target} is there already; name another, or remove it" in said
    assert (precious.read_text(), link.is_symlink()) == ("precious", True)
    exported(run, tmp_path / "run.zip", *options)
    assert failed(hyperspace("export", run, "--out", tmp_path / "run.zip", *options), 2)


def test_an_export_does_not_lie_in_its_run(run: Path, tmp_path: Path) -> None:
    copy = copied(run, tmp_path / "copy")
    for inside in (copy / "run.zip", copy / "new" / "run.zip", copy / "tinker" / ".." / "run.zip"):
        said = failed(hyperspace("export", copy, "--out", inside), 2)
        assert f"{inside} is in the run, which is only read; name another place" in said
    assert not [*copy.rglob("run.zip"), *copy.glob("new")]


def test_folders_of_a_file_that_is_named_are_made(run: Path, tmp_path: Path) -> None:
    exported(run, tmp_path / "new" / "below" / "run.zip")
