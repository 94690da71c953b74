"""The index lies beside the runs where that can be written, for its owner alone."""

from pathlib import Path

import pytest

from hyperspace.dashboard.search.cache import NAME, index_folder, make_folder
from hyperspace.runs.finding import find_runs
from tests.support.runs.published_runs import Generation, write_run


def test_it_lies_beside_the_runs_and_is_no_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "seed1", {"a": [Generation("x = 1\n")]})
    cache = index_folder(tmp_path)
    make_folder(cache)
    assert cache == tmp_path / NAME
    assert cache.stat().st_mode & 0o777 == 0o700
    assert list(find_runs(tmp_path)) == [run]


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    assert index_folder(tmp_path) != tmp_path / NAME
    with pytest.raises(PermissionError, match="is a link"):
        make_folder(tmp_path / NAME)
