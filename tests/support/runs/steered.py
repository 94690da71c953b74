"""A pair that is played as far as wanted, killed there, steered, and played on."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.command import PAIR, hyperspace
from tests.support.paths import ROOT

NEVER = "-"


class SteeredPair:
    """One results folder with a pair of offline agents in it."""

    def __init__(self, results: Path, *options: str | Path, generations: int = 2) -> None:
        numbers = ("--generations", str(generations), "--seed", "5")
        self._command = ["pair", *PAIR, *numbers, *map(str, options), "--results", str(results)]
        self._log = results.with_name(f"{results.name}.log")
        self.path = results / "repo_quality" / "tinker_vs_magpie" / "seed5"

    def start(self, position: str = NEVER) -> subprocess.Popen[str]:
        """Start the command; at a position of `kill_at` it kills itself."""
        program = [sys.executable, "-m", "tests.support.runs.kill_at", str(self._log), position]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*program, *self._command], cwd=ROOT, text=True, stdout=pipe, stderr=pipe
        )

    def play_until(self, position: str) -> None:
        """Play as far as a position, where the process is killed."""
        with self.start(position) as process:
            _, told = process.communicate(timeout=120)
        assert process.returncode == -signal.SIGKILL, f"{position} was never reached: {told}"

    def play(self) -> None:
        """Play to the end."""
        done = hyperspace(*self._command)
        assert done.returncode == 0, done.stderr

    def command(self) -> subprocess.Popen[str]:
        """Start the command as a person does."""
        return subprocess.Popen(
            [sys.executable, "-m", "hyperspace", *self._command],
            cwd=ROOT,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def steer(self, *words: str) -> None:
        """Ask something of the run."""
        done = hyperspace("steer", self.path, *words)
        assert done.returncode == 0, done.stderr

    def listed(self) -> Any:
        """What was asked of the run and what agents ask, as JSON."""
        done = hyperspace("steer", self.path, "list", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def metadata(self, agent: str, generation: int) -> Any:
        """What is on record of a generation."""
        return json.loads((self.path / agent / f"gen_{generation}" / "metadata.json").read_text())

    def assert_replays(self) -> None:
        """Make the run again from its record."""
        done = hyperspace("replay", self.path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "as recorded" in done.stdout

    def assert_audited(self) -> None:
        """Check that nothing in the run is where it may not be."""
        done = hyperspace("audit", self.path)
        assert done.returncode == 0, done.stdout + done.stderr


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """Read what a process tells until a line has these words; returns that line."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"it ended and never said {words!r}")
