"""Folders of strangers: what is refused is refused in a sentence, and no link is followed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperspace.tasks.base import DomainDataError
from hyperspace.tasks.registry import load
from hyperspace.tasks.three_files.folder import MOST_FILES


def add(folder: Path, line: str) -> None:
    path = folder / "config.toml"
    path.write_text(line + "\n" + path.read_text())


def link(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to("/etc/hostname")


def make_many(folder: Path) -> None:
    (folder / "many").mkdir()
    for number in range(MOST_FILES):
        (folder / "many" / f"{number}.txt").touch()


def write_code(folder: Path, code: str) -> None:
    (folder / "initial_solution.py").write_text(code)


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "linked file": (lambda folder: link(folder, "notes.txt"), "notes.txt is a link"),
    "linked benchmark": (lambda folder: link(folder, "benchmark.py"), "benchmark.py is a link"),
    "linked solution": (lambda folder: link(folder, "initial_solution.py"), "is a link"),
    "linked config": (lambda folder: link(folder, "config.toml"), "config.toml is a link"),
    "pipe for a config": (
        lambda folder: ((folder / "config.toml").unlink(), os.mkfifo(folder / "config.toml")),
        "lacks config.toml",
    ),
    "name that is no text": (
        lambda folder: Path(os.fsdecode(bytes(folder) + b"/\xff.txt")).touch(),
        "cannot be printed",
    ),
    "name of two lines": (lambda folder: (folder / "a\nb.txt").touch(), "cannot be printed"),
    "too many files": (make_many, "more than 1,000 files"),
    "date": (lambda folder: add(folder, "label = 2020-01-01\ntimeout = 1"), "timeout"),
    "number of 5,000 digits": (lambda folder: add(folder, "x = " + "9" * 5000), "4300 digits"),
    "deep list": (
        lambda folder: add(folder, "x = " + "[" * 9000),
        "it is nested too deeply",
    ),
    "long config": (lambda folder: add(folder, "x" + ".a" * 9000 + " = 1"), "16,000 bytes"),
    "table for a name": (lambda folder: add(folder, "[timeout]"), "config.toml: Expected"),
    "deep code": (lambda folder: write_code(folder, "x = " + "-" * 100_000 + "1"), "compiled"),
    "long sum": (lambda folder: write_code(folder, "x = 1" + "+1" * 90_000), "compiled"),
    "huge code": (lambda folder: write_code(folder, "#" * 300_000), "200,000 bytes"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_folder_is_refused_in_a_sentence(name: str, folder: Path) -> None:
    do, says = HOSTILE[name]
    do(folder)
    with pytest.raises(DomainDataError, match=says) as refused:
        load(str(folder))
    assert len(str(refused.value)) < 600


def test_a_linked_folder_is_passed_over(folder: Path) -> None:
    (folder / "beside").symlink_to("/etc")
    assert load(str(folder)).data_sha256
