"""Copies of runs: this user's, as the runs themselves are, and those of somebody else."""

import shutil
from pathlib import Path

from hyperspace.kernel.state.copies import STATE
from hyperspace.kernel.state.ownership import SIGNATURE, sign


def copied(run: Path, target: Path) -> Path:
    """Copy a run folder, links as links, and sign it: a mere copy is somebody else's run."""
    shutil.copytree(run, target, symlinks=True)
    sign(target, (target / "run_config.json").read_bytes())
    return target


def strangers(run: Path, target: Path) -> Path:
    """Copy a run folder as somebody else would have begun it: nothing in it is signed by us."""
    ignored = shutil.ignore_patterns(STATE, SIGNATURE)
    return Path(shutil.copytree(run, target, symlinks=True, ignore=ignored))
