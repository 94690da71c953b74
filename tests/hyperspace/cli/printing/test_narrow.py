"""A narrow terminal: what a person copies stays on one line."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import pair
from tests.support.paths import ROOT


def on_a_terminal(columns: int, *arguments: str) -> list[str]:
    """Lines that a command prints on a terminal of so many columns."""
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "hyperspace", *arguments]
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    with subprocess.Popen(command, stdout=its, stderr=its, stdin=its, cwd=ROOT, env=env):
        os.close(its)
        printed = bytearray()
        try:
            while part := os.read(ours, 4096):
                printed += part
        except OSError:  # it has ended, and with it the terminal
            pass
    os.close(ours)
    return printed.decode().splitlines()


@pytest.mark.long
def test_digest_and_path_are_not_broken_over_lines(tmp_path: Path) -> None:
    told = pair(tmp_path / "results", generations=1)
    lines = on_a_terminal(40, "resume", told["run"])
    assert f"digest {told['digest']}" in lines
    assert f"results in {told['run']}" in lines
    assert f"violations: 0 (hyperspace audit {told['run']})" in lines
