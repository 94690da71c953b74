"""A run that an earlier version began: read, resumed and replayed, or refused by its version."""

import json
import tarfile
from pathlib import Path

import pytest

from tests.support.command import failed, hyperspace
from tests.support.paths import ROOT

BEGUN = ROOT / "tests" / "data" / "begun_at_1bab019.tar.xz"
# What the earlier version came to when nothing killed it.
DIGEST = "da38db6cae354e6171c299b883efd5a008a7fa0033e606ae2a9a1f0c86e72a48"


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    with tarfile.open(BEGUN) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "seed7"


@pytest.mark.long
def test_it_is_resumed_to_the_same_digest_and_replayed(begun: Path) -> None:
    resumed = hyperspace("resume", begun)
    assert resumed.returncode == 0, resumed.stderr
    assert DIGEST in resumed.stdout
    replayed = hyperspace("replay", begun)
    assert replayed.returncode == 0, replayed.stderr
    assert f"{DIGEST}, as recorded" in replayed.stdout
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
