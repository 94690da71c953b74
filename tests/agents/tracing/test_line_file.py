import resource
from pathlib import Path

import pytest

from agents.tracing.line_file import LineFile


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
