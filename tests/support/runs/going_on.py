"""A pair that is played by another process while a test looks at it."""

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.command import HYPERSPACE, PAIR
from tests.support.paths import ROOT


@contextmanager
def playing(results: Path, *, generations: int, seed: int = 3) -> Generator[Path]:
    """Play while the context lasts; yields the run folder, which is there already."""
    numbers = ("--generations", str(generations), "--seed", str(seed))
    command = [*HYPERSPACE, "pair", *PAIR, *numbers, "--results", str(results)]
    run = results / "repo_quality" / "tinker_vs_magpie" / f"seed{seed}"
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=ROOT
    ) as process:
        assert process.stderr is not None
        try:
            process.stderr.readline()  # the line of the first generation
            yield run
        finally:
            process.terminate()
            process.stderr.close()
