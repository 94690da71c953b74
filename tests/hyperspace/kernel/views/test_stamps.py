import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.kernel.views.run_logs import stamps_text
from hyperspace.kernel.views.stamps import LOST, Stamped, read_stamps, stamp_of, survey


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "deep" / "b").write_bytes(b"two")
    return tmp_path


def in_place(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"ONE")


def in_place_with_its_times_put_back(path: Path) -> None:
    before = path.stat()
    in_place(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def by_another_file(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"ONE")
    other.replace(path)


def by_a_link(path: Path) -> None:
    moved = path.with_name("moved")
    path.rename(moved)
    path.symlink_to(moved)


CHANGES: tuple[Callable[[Path], None], ...] = (
    in_place,
    in_place_with_its_times_put_back,
    by_another_file,
    by_a_link,
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_cannot_be_changed_without_its_stamp(
    folder: Path, change: Callable[[Path], None]
) -> None:
    hashed = survey(folder)
    _wait_for_the_clock_of(folder)
    change(folder / "a")
    assert stamp_of(folder, hashed.hashes) not in (hashed.stamp, LOST)


def test_a_stamp_outlives_that_its_folder_is_renamed(folder: Path) -> None:
    hashed = survey(folder)
    renamed = folder.rename(folder.with_name("renamed"))
    assert stamp_of(renamed, hashed.hashes) == hashed.stamp


def test_of_lost_files_there_is_no_stamp(folder: Path) -> None:
    hashed = survey(folder)
    (folder / "deep" / "b").unlink()
    assert stamp_of(folder, hashed.hashes) == LOST


def test_a_survey_hashes_regular_files_alone_in_path_order(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "a")
    assert list(survey(folder).hashes) == ["a", "deep/b"]


@pytest.mark.long
@given(
    st.lists(
        st.tuples(st.text("abc"), st.lists(st.text("xyz", min_size=1), max_size=3)), max_size=9
    )
)
def test_lines_of_stamps_are_read_back_as_they_were(stamps: list[tuple[str, list[str]]]) -> None:
    stamped = [Stamped(n, stamp, tuple(paths)) for n, (stamp, paths) in enumerate(stamps)]
    assert list(read_stamps(stamps_text(stamped))) == stamped


def _wait_for_the_clock_of(folder: Path) -> None:
    """Wait until the file system would write down another time than before."""
    probe = folder / "probe"
    probe.touch()
    before = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == before:
        probe.touch()
    probe.unlink()
