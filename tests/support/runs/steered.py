"""A run that is played as far as wanted, killed there, steered, and played on."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.command import PAIR, hyperspace, kill_at
from tests.support.paths import ROOT

NEVER = "-"


class SteeredRun:
    """One results folder with a run of offline agents in it.

    Attributes:
        path: The run.
    """

    def __init__(self, results: Path, below: str, *words: str | Path) -> None:
        """Nothing is played yet.

        Args:
            results: The folder.
            below: The run's path below it.
            *words: The command that plays it, without `--results`.
        """
        self._command = [*map(str, words), "--results", str(results)]
        self._log = results.with_name(f"{results.name}.log")
        self.path = results / below

    def start(self, position: str = NEVER, *options: str) -> subprocess.Popen[str]:
        """Start the command; at a position of `kill_at` it kills itself."""
        program = [sys.executable, "-m", "tests.support.runs.kill_at", str(self._log), position]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*program, *self._command, *options], cwd=ROOT, text=True, stdout=pipe, stderr=pipe
        )

    def play_until(self, position: str) -> None:
        """Play as far as a position, where the process is killed."""
        done = kill_at(self._log, position, *self._command, timeout_s=300)
        assert done.returncode == -signal.SIGKILL, f"{position} was never reached: {done.stderr}"

    def play(self) -> None:
        """Play to the end."""
        done = hyperspace(*self._command, timeout_s=300)
        assert done.returncode == 0, done.stderr

    def command(self, *options: str) -> subprocess.Popen[str]:
        """Start the command as a person does."""
        return subprocess.Popen(
            [sys.executable, "-m", "hyperspace", *self._command, *options],
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


class SteeredPair(SteeredRun):
    """A pair on repo_quality."""

    def __init__(self, results: Path, *options: str | Path, generations: int = 2) -> None:
        numbers = ("--generations", str(generations), "--seed", "5")
        below = "repo_quality/tinker_vs_magpie/seed5"
        super().__init__(results, below, "pair", *PAIR, *numbers, *options)


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """Read what a process tells until a line has these words; returns that line."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"it ended and never said {words!r}")
