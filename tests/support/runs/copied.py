"""Copies of runs that are this user's, as the runs themselves are."""

import shutil
from pathlib import Path

from evolution.state.ownership import sign


def copied(run: Path, target: Path) -> Path:
    """Copy a run folder, links as links, and sign it: a mere copy is somebody else's run."""
    shutil.copytree(run, target, symlinks=True)
    sign(target, (target / "run_config.json").read_bytes())
    return target
