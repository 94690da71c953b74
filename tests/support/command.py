"""The installed command, run as a person runs it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.forks.forking import environment, forked, may_fork
from tests.support.paths import ROOT

HYPERSPACE = [sys.executable, "-m", "hyperspace"]
PAIR = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")


def hyperspace(
    *arguments: str | Path, cwd: Path | None = None, timeout_s: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run one command line to its end, whatever its exit code."""
    return _program("hyperspace", arguments, cwd, timeout_s)


def finished(done: subprocess.CompletedProcess[str]) -> None:
    """Check that a run was played to its end, also where it came to nothing."""
    came_to_nothing = done.returncode == 1 and " came to nothing: " in done.stderr
    assert done.returncode == 0 or came_to_nothing, done.stderr


def kill_at(
    log: str | Path, position: str, *arguments: str | Path, timeout_s: float = 600
) -> subprocess.CompletedProcess[str]:
    """Run one command line to a position, where it is killed: see `tests.support.runs.kill_at`."""
    return _program("tests.support.runs.kill_at", (log, position, *arguments), ROOT, timeout_s)


def _program(
    module: str, arguments: Sequence[str | Path], cwd: Path | None, timeout_s: float
) -> subprocess.CompletedProcess[str]:
    """Run a module in a process of its own, forked from a loaded one where a test cannot tell."""
    words = [str(argument) for argument in arguments]
    if may_fork(cwd):
        return forked(module, words, timeout_s)
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=timeout_s,
        check=False,
        env=environment(),
    )


def pair(results: Path, *options: str, generations: int = 2, seed: int = 3) -> Any:
    """Play a pair of offline agents to the end and return its JSON result."""
    numbers = ("--generations", str(generations), "--seed", str(seed))
    words = saying((*PAIR, *numbers), options)
    done = hyperspace("pair", *words, "--results", results, "--json")
    finished(done)
    return json.loads(done.stdout)


def saying(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return words of a command line with options that say otherwise in the place of theirs."""
    kept: list[str] = []
    is_kept = True
    for word in words:
        is_kept = word not in options if word.startswith("--") else is_kept
        kept += [word] * is_kept
    return [*kept, *options]


def failed(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Check that a command failed with one clear message; returns the message."""
    assert done.returncode == code, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr.strip().splitlines()[-1]


def without(
    module: str, *arguments: str | Path, program: str = "hyperspace.cli.main"
) -> subprocess.CompletedProcess[str]:
    """Run a command line where a library cannot be imported."""
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        f"from {program} import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
