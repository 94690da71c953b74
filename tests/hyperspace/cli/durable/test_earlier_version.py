"""A run that an earlier version began: read, resumed and replayed, or refused by its version."""

import json
import re
import shutil
import tarfile
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.command import failed, hyperspace
from tests.support.paths import ROOT

BEGUN = ROOT / "tests" / "data" / "begun_at_1bab019.tar.xz"


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    with tarfile.open(BEGUN) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "seed7"


def digest_of(done: CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    (digest,) = re.findall(r"digest (\w{64})", done.stdout)
    return digest


def code_of(run: Path) -> dict[str, str]:
    """The task agents of the generations that are finished."""
    finished = (path.parent for path in run.glob("*/gen_*/metadata.json"))
    return {
        str(folder.relative_to(run)): (folder / "repo" / "task_agent.py").read_text()
        for folder in finished
    }


@pytest.mark.long
def test_it_is_resumed_to_one_digest_keeps_what_it_had_and_is_replayed(
    begun: Path, tmp_path: Path
) -> None:
    # Offline policies are better than they were, so it ends otherwise than that version would have.
    again = tmp_path / "again" / "seed7"
    shutil.copytree(begun, again, symlinks=True)
    before = code_of(begun)
    assert before
    assert "--trust" in failed(hyperspace("resume", begun), 2)  # that version did not sign it
    digests = {digest_of(hyperspace("resume", folder, "--trust")) for folder in (begun, again)}
    (digest,) = digests
    assert code_of(begun).items() >= before.items()
    replayed = hyperspace("replay", begun)
    assert replayed.returncode == 0, replayed.stderr
    assert f"{digest}, as recorded" in replayed.stdout
    audited = hyperspace("audit", begun)
    assert audited.returncode == 0, audited.stdout


@pytest.mark.long
def test_what_is_there_of_it_is_read(begun: Path) -> None:
    watched = hyperspace("watch", begun, "--once", "--json")
    assert watched.returncode == 0, watched.stderr
    rows = {row["agent"]: row["generation"] for row in json.loads(watched.stdout)["rows"]}
    assert rows == {"tinker": 2, "magpie": 1}
    for command in ("analyze", "report"):
        done = hyperspace(command, begun)
        assert done.returncode == 0, done.stderr


@pytest.mark.long
@pytest.mark.parametrize("version", [0, "two"])
@pytest.mark.parametrize("command", ["resume", "watch"])
def test_another_format_is_refused_by_its_name(
    begun: Path, command: str, version: int | str
) -> None:
    record = begun / "run_config.json"
    fields = json.loads(record.read_text())
    record.write_text(json.dumps({**fields, "format": version, "of_another_version": True}))
    before = {path: path.stat().st_mtime_ns for path in begun.rglob("*")}
    message = failed(hyperspace(command, begun), 2)
    assert f"run format {version!r}" in message
    assert {path: path.stat().st_mtime_ns for path in begun.rglob("*")} == before
