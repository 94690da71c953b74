"""Folders that were forged: a file beside the run excuses nothing, the audit chain alone does."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import working
from hyperspace.kernel.state.replacements import FileChange, Replacement
from tests.support.command import hyperspace, pair

pytestmark = pytest.mark.long

TRACE = "magpie/gen_1/llm_calls.jsonl"
METADATA = "magpie/gen_1/metadata.json"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(pair(tmp_path_factory.mktemp("results"), generations=1)["run"])


@pytest.fixture
def redacted(run: Path, tmp_path: Path) -> Path:
    target = tmp_path / "run.zip"
    assert hyperspace("export", run, "--redact", "--out", target).returncode == 0
    shutil.unpack_archive(target, tmp_path / "unpacked")
    (folder,) = (tmp_path / "unpacked").glob("*/*/seed*")
    return folder


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def forge(run: Path, path: str) -> None:
    """Change a file, and list it in export.json as redacted."""
    before = sha256(run / path)
    listed: dict[str, Any] = {"files": []}
    if (run / "export.json").exists():
        listed = json.loads((run / "export.json").read_text())
    originals = {file["path"]: file["original_sha256"] for file in listed["files"]}
    with (run / path).open("a") as file:
        file.write("{}\n")
    listed["files"] = [file for file in listed["files"] if file["path"] != path]
    content, original = (run / path).read_bytes(), originals.get(path) or before
    entry = {"path": path, "size_bytes": len(content), "sha256": sha256(run / path)}
    listed["files"].append({**entry, "original_sha256": original})
    (run / "export.json").write_text(json.dumps(listed))


def through(run: Path) -> list[str]:
    done = hyperspace("audit", run, "--json")
    audit: Any = json.loads(done.stdout)
    assert done.returncode == (1 if audit["through"] else 0)
    return audit["through"]


@pytest.mark.parametrize("path", [TRACE, METADATA])
def test_a_file_that_export_json_calls_redacted_is_not_excused(copy: Path, path: str) -> None:
    forge(copy, path)
    assert through(copy) == [
        f"magpie gen 1: {Path(path).name} was changed or lost since it was closed"
    ]


@pytest.mark.parametrize("path", [TRACE, METADATA])
def test_a_file_that_is_changed_in_a_redacted_export_is_found(redacted: Path, path: str) -> None:
    assert through(redacted) == []
    forge(redacted, path)
    assert through(redacted) == [
        f"magpie gen 1: {Path(path).name} was changed or lost since it was closed"
    ]


def test_a_trace_that_is_taken_away_is_not_excused_by_a_file_in_its_place(copy: Path) -> None:
    trace = copy / TRACE
    told = {"keep_traces": "none", "calls": 1, "size_bytes": 1, "sha256": sha256(trace)}
    trace.with_name("llm_calls.dropped.json").write_text(json.dumps(told))
    trace.unlink()
    assert through(copy) == [
        "magpie gen 1: llm_calls.jsonl was changed or lost since it was closed"
    ]


def test_an_audit_says_what_was_replaced_and_which_entry_tells_so(redacted: Path) -> None:
    (replaced,) = json.loads(hyperspace("audit", redacted, "--json").stdout)["replaced"]
    assert replaced["reason"] == "redacted"
    assert {TRACE, "run_config.json"} <= {change["path"] for change in replaced["files"]}
    listed = json.loads((redacted / "export.json").read_text())
    assert replaced["entry"] == listed["audit_entries"]
    text = hyperspace("audit", redacted).stdout
    assert f"{len(replaced['files'])} files redacted" in text


def test_an_exporter_can_hide_what_was_said_and_say_nothing_else(run: Path, tmp_path: Path) -> None:
    forged = tmp_path / "run"
    shutil.copytree(run, forged)
    lines = [json.loads(line) for line in (forged / TRACE).read_text().splitlines()]
    lines[0]["response"] = "what was never said"
    (forged / TRACE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    change = FileChange(TRACE, sha256(run / TRACE), sha256(forged / TRACE))
    folder = RunFolder(forged)
    with working(folder, read_record(folder.record)) as opened:
        opened.writer.record_replacement(Replacement("redacted", (change,)))
    assert through(forged) == [
        "magpie gen 1: 1 calls in llm_calls.jsonl are not those that were closed"
    ]


def test_an_own_export_is_told_from_one_that_was_written_anew(
    redacted: Path, tmp_path: Path
) -> None:
    assert "export.json, which you signed" in hyperspace("audit", redacted).stdout
    again = Path(pair(tmp_path, generations=1)["run"])
    shutil.copy(redacted / "export.json", again)
    done = hyperspace("audit", again)
    assert done.returncode == 1
    assert "which export.json, which you signed, names, is not in the chain" in done.stderr
    forge(again, TRACE)  # and with it export.json, which nobody signs again
    assert "export.json" not in hyperspace("audit", again).stdout


def test_traces_that_were_not_kept_are_on_record(tmp_path: Path) -> None:
    run = Path(pair(tmp_path, "--keep-traces", "none", generations=1)["run"])
    assert not (run / TRACE).exists()
    assert through(run) == []
    assert "files not kept" in hyperspace("audit", run).stdout
    summary = json.loads((run / "summary.json").read_text())
    assert summary["audit_head"] == json.loads(hyperspace("audit", run, "--json").stdout)["head"]


def test_an_export_that_is_exported_and_redacted_again_stays_whole(
    redacted: Path, tmp_path: Path
) -> None:
    target = tmp_path / "again.zip"
    assert hyperspace("export", redacted, "--redact", "--out", target).returncode == 0
    shutil.unpack_archive(target, tmp_path / "again")
    (folder,) = (tmp_path / "again").glob("*/*/seed*")
    assert through(folder) == []
