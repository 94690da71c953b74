"""What README.md shows of `make demo` is what it prints, line by line, and so for a first look."""

import re
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.command import hyperspace
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]

PAGE = (ROOT / "README.md").read_text("utf-8")
SECONDS = re.compile(r", [\d.]+ s$")
ACCESS = re.compile(r"(?<=accesses\.jsonl:)\d+")  # which line it is, the kernel's timing decides


def shown(start: str) -> list[str]:
    """The lines of the first indented block that is behind a text of the page."""
    block = re.search(r"(?:^ {4}.*\n)+", PAGE[PAGE.index(start) :], re.MULTILINE)
    assert block is not None
    return [line[4:].strip() for line in block[0].splitlines()]


class Demo(NamedTuple):
    """The main job, played where nothing else is."""

    command: str
    folder: Path
    printed: list[str]
    told: list[str]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    (command,) = shown("`make demo` runs")
    done = run(command, folder)
    return Demo(command, folder, done.stdout.splitlines(), done.stderr.splitlines())


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line of the page."""
    done = hyperspace(*shlex.split(line)[1:], cwd=folder, timeout_s=300)
    assert done.returncode == 0, done.stderr
    return done


def test_the_demo_prints_what_the_page_shows(demo: Demo) -> None:
    assert f"\t.venv/bin/{demo.command}\n" in (ROOT / "Makefile").read_text("utf-8")
    assert shown("and at the end:") == [line.strip() for line in demo.printed]
    progress = [SECONDS.sub("", line) for line in demo.told]
    lines = [SECONDS.sub("", line) for line in shown("a line a generation:")]
    assert [line for line in lines if line != "..." and line not in progress] == []


@pytest.mark.parametrize("start", ["## Look inside", "and does it help?"])
def test_a_look_inside_shows_what_the_page_shows(start: str, demo: Demo) -> None:
    command, *lines = shown(start)
    done = run(command, demo.folder).stdout
    printed = {ACCESS.sub("", line.strip()) for line in done.splitlines()}
    missing = [line for line in lines if ACCESS.sub("", line) not in {*printed, "..."}]
    assert all(line.startswith("audit chain verified: 39 entries, head ") for line in missing)
