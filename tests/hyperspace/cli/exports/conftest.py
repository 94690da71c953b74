"""Runs of the test files here, to be changed."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    """A copy of the run that the test file played."""
    return Path(shutil.copytree(run, tmp_path / "run"))
