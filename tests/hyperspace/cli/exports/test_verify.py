"""`hyperspace verify`: what a receiver learns of an export before it is unpacked."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import failed, hyperspace, pair

pytestmark = pytest.mark.long
Change = Callable[[str, bytes], bytes | None]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(pair(tmp_path_factory.mktemp("results"), generations=1)["run"])


@pytest.fixture(scope="module")
def packed(run: Path) -> Path:
    target = run.parent / "run.zip"
    assert hyperspace("export", run, "--out", target).returncode == 0
    return target


def changed(packed: Path, target: Path, change: Change) -> Path:
    """Pack an archive again with some of its files changed, or left out."""
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            content = change(name, source.read(name))
            if content is not None:
                copy.writestr(name, content)
    return target


@pytest.mark.parametrize("ending", ["tar.gz", "tar.zst", "zip"])
@pytest.mark.parametrize("options", [(), ("--redact",)])
def test_an_export_is_as_its_list_says(
    run: Path, tmp_path: Path, ending: str, options: tuple[str, ...]
) -> None:
    target = tmp_path / f"run.{ending}"
    told = json.loads(hyperspace("export", run, "--out", target, *options, "--json").stdout)
    named = ("--digest", told["digest"], "--head", told["audit_head"])
    done = hyperspace("verify", target, *named, "--json")
    assert done.returncode == 0, done.stderr
    verified = json.loads(done.stdout)
    assert verified["problems"] == []
    assert verified["is_own"] is True
    assert verified["redacted"] is bool(options)
    assert "signed by you" in hyperspace("verify", target).stdout


def of(ending: str, make: Callable[[bytes], bytes | None]) -> Change:
    """Return what changes the files whose path ends so."""
    return lambda name, content: make(content) if name.endswith(ending) else content


TASK, LIST = "task.md", "export.json"
CHANGES: dict[str, tuple[Change, str]] = {
    "longer": (of(TASK, lambda content: content + b"x"), "its list says"),
    "other": (of(TASK, lambda content: b"x" * len(content)), "not what its list says"),
    "missing": (of(TASK, lambda _: None), "not what its list says"),
    "no list": (of(LIST, lambda _: None), "has no list of its files"),
    "bad list": (of(LIST, lambda _: b"{"), "cannot be read"),
}


@pytest.mark.parametrize(("change", "why"), CHANGES.values(), ids=CHANGES)
def test_what_was_changed_on_the_way_is_named(
    packed: Path, tmp_path: Path, change: Change, why: str
) -> None:
    target = changed(packed, tmp_path / "run.zip", change)
    assert why in failed(hyperspace("verify", target), 1)


def test_a_list_that_agrees_with_its_files_and_is_nobodys_is_told_as_such(
    packed: Path, tmp_path: Path
) -> None:
    unfinished = of(
        LIST, lambda content: content.replace(b'"finished": true', b'"finished": false')
    )
    target = changed(packed, tmp_path / "run.zip", unfinished)
    assert "signed by somebody else" in hyperspace("verify", target).stdout


def test_another_run_than_was_said_is_told(packed: Path) -> None:
    done = hyperspace("verify", packed, "--digest", "a" * 64)
    assert done.returncode == 1
    assert "PROBLEM: its digest is not aaaa" in done.stdout


@pytest.mark.parametrize("name", ["missing.zip", "run.rar", "folder.zip", "cut.tar.gz", "zero.zip"])
def test_what_is_no_export_is_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.zip").mkdir()
    (tmp_path / "run.rar").write_bytes(b"x")
    (tmp_path / "cut.tar.gz").write_bytes(b"\x1f\x8b\x08\x00")
    (tmp_path / "zero.zip").write_bytes(bytes(1000))
    done = hyperspace("verify", tmp_path / name)
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1
    assert name in done.stderr
