"""A research run as one file: verified, the same bytes each time, replayed where it is unpacked."""

import hashlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import pytest

from tests.hyperspace.research.runs import IDEATOR
from tests.support.command import HYPERSPACE, failed, hyperspace
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [needs_bubblewrap, pytest.mark.long]
INSIDE = Path("fit_line/search/seed42")
ASKED = ("research", "--env", "fit_line", "--models", IDEATOR, "--epochs", "1", "--ideas", "3")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("research")
    done = hyperspace(*ASKED, "--results", results)
    assert done.returncode == 0, done.stderr
    return results / INSIDE


def exported(run: Path, target: Path) -> Any:
    done = hyperspace("export", run, "--out", target, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_is_replayed_from_its_export_and_has_its_digest(run: Path, tmp_path: Path) -> None:
    told = exported(run, tmp_path / "run.tar.gz")
    shutil.unpack_archive(tmp_path / "run.tar.gz", tmp_path, filter="data")
    copy = tmp_path / INSIDE
    for file in told["files"]:
        assert hashlib.sha256((copy / file["path"]).read_bytes()).hexdigest() == file["sha256"]
    paths = {file["path"] for file in told["files"]}
    assert {"research.json", "space.db", "jobs.db", "ideas/0001/llm_calls.jsonl"} <= paths
    assert not paths & {"run_config.sig", "now.json"}
    assert (told["finished"], told["audit_problem"], told["left_out"]) == (True, "", [])
    assert told["digest"] == hyperspace("digest", copy).stdout.strip()
    assert told["audit_head"] in hyperspace("space", "verify", copy / "space.db").stdout
    assert "was not begun by you" in failed(hyperspace("replay", copy), 2)
    again = hyperspace("replay", copy, "--trust", "--json")
    assert again.returncode == 0, again.stderr
    replayed = json.loads(again.stdout)
    assert (replayed["same"], replayed["digest"]) == (True, told["digest"])


@pytest.mark.parametrize("name", ["run.tar.gz", "run.zip"])
def test_two_exports_are_the_same_bytes(run: Path, tmp_path: Path, name: str) -> None:
    exports = [tmp_path / each / name for each in ("one", "two")]
    for target in exports:
        target.parent.mkdir()
        exported(run, target)
    first, second = (target.read_bytes() for target in exports)
    assert first == second


def test_a_run_that_was_killed_is_exported_as_far_as_it_is(tmp_path: Path) -> None:
    run = tmp_path / INSIDE
    command = [*HYPERSPACE, *ASKED, "--results", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=env, stdout=DEVNULL, stderr=DEVNULL) as process:
        while not (run / "ideas" / "0001").exists():
            assert process.poll() is None, "it ended before it was killed"
            time.sleep(0.005)
        process.kill()
    told = exported(run, tmp_path / "run.zip")
    assert not told["finished"]
    assert {"now.json", "run_config.sig"}.isdisjoint(file["path"] for file in told["files"])


def test_an_artefact_that_was_changed_is_told_and_nothing_is_written(
    run: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    artefact = min((copy / "artefacts").iterdir())
    artefact.write_bytes(b"something else")
    said = failed(hyperspace("export", copy, "--out", tmp_path / "run.zip"), 1)
    assert artefact.name in said and "put it back" in said
    assert not (tmp_path / "run.zip").exists()


def test_nothing_is_taken_out_of_one(run: Path, tmp_path: Path) -> None:
    done = hyperspace("export", run, "--redact", "--out", tmp_path / "run.zip")
    assert "without --redact" in failed(done, 2)
    assert not (tmp_path / "run.zip").exists()


def test_a_stranger_s_record_leads_to_no_other_folder(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    record = copy / "research.json"
    text = record.read_text()
    record.write_text(text.replace('"environment": "fit_line"', '"environment": "../../up"'))
    assert record.read_text() != text
    said = failed(hyperspace("export", copy, "--out", tmp_path / "run.zip"), 2)
    assert "../../up" in said and "does not unpack" in said
    assert not (tmp_path / "run.zip").exists()


def test_an_export_of_one_takes_the_place_of_nothing(run: Path, tmp_path: Path) -> None:
    (tmp_path / "precious.zip").write_text("precious")
    for target, why in ((tmp_path / "precious.zip", "is there already"), (run / "x.zip", "in the")):
        assert why in failed(hyperspace("export", run, "--out", target), 2)
    assert (tmp_path / "precious.zip").read_text() == "precious"
