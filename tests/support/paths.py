"""Where the checkout and the data beside it lie; the only file of the tests that counts folders."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"


def files_of_git(*options: str) -> set[str]:
    """Return files of the checkout, as `git ls-files` lists them; skips where there is none."""
    listed = subprocess.run(
        ["git", "ls-files", *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip(f"no git checkout: {listed.stderr.strip()}")
    return set(listed.stdout.splitlines())
