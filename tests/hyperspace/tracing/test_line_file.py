import os
import resource
from pathlib import Path

import pytest

from guards.scope.regular_files import NotRegular
from hyperspace.tracing.line_file import LineFile


@pytest.mark.parametrize("torn", [b"", b"half", b"x" * 200_000])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\n" + torn)
    with LineFile(path) as file:
        file.append(b"three\n")
    assert path.read_bytes() == b"one\ntwo\nthree\n"


def test_a_line_that_does_not_fit_is_taken_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    file = LineFile(path)
    file.append(b"one\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            file.append(b"x" * 50 + b"\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    file.append(b"two\n")
    file.close()
    assert path.read_bytes() == b"one\ntwo\n"


def test_no_line_is_written_through_a_link_or_to_what_is_no_file(tmp_path: Path) -> None:
    target, path = tmp_path / "of somebody", tmp_path / "lines"
    target.write_text("theirs")
    path.symlink_to(target)
    with pytest.raises(NotRegular, match="is a link"):
        LineFile(path)
    assert target.read_text() == "theirs"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(NotRegular, match="is no regular file"):
        LineFile(path)
