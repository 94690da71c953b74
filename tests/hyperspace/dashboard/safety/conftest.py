"""A run, played once."""

from pathlib import Path

import pytest

from tests.support.command import pair


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder of a pair; a test that changes it takes a copy."""
    results = tmp_path_factory.mktemp("played") / "results"
    pair(results)
    return results
