"""What docs/guide/serve.md shows works as it is shown, on a free port."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hyperspace.serve.faults import KINDS, read_fault_file
from tests.support.command import hyperspace
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import ROOT, serving

pytestmark = pytest.mark.long

PAGE = (ROOT / "docs" / "guide" / "serve.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def commands(name: str) -> list[list[str]]:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [shlex.split(line)[2:] for line in lines if line.startswith(f"hyperspace {name} ")]


@pytest.mark.parametrize("options", commands("serve"))
def test_a_server_starts_as_shown(options: list[str]) -> None:
    assert options[:2] == ["--port", "8000"]
    with serving(options=options[2:]) as server:
        assert server.requests() == 0


@needs_bubblewrap
def test_the_pair_plays_as_shown(tmp_path: Path) -> None:
    with serving() as server:
        (arguments,) = commands("pair")
        moved = [text.replace(":8000/", f":{server.port}/") for text in arguments]
        done = hyperspace("pair", *moved, "--results", tmp_path)
        assert done.returncode == 0, done.stderr
        assert server.stats()["completed"] > 0


def test_the_script_is_one(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    (tmp_path / "faults.toml").write_text(text)
    assert len(read_fault_file(tmp_path / "faults.toml").rules) == 2


def test_the_example_prints_what_it_says() -> None:
    (code,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == code.partition("  # ")[2].partition("\n")[0]


def test_every_fault_is_on_the_page() -> None:
    assert all(f"| `{kind}` |" in PAGE for kind in KINDS)
