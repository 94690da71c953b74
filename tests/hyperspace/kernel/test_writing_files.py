"""Trees of files are written whole, or not without an error."""

import subprocess
import sys
from pathlib import Path

from hyperspace.kernel.files import write_tree
from tests.support.paths import ROOT

LIMITED = """
import resource, sys
from pathlib import Path
from hyperspace.kernel.files import write_tree
resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]),) * 2)
files = {f"{n}/file": b"x" * int(sys.argv[4]) for n in range(int(sys.argv[3]))}
try:
    write_tree(Path(sys.argv[5]), files)
except OSError as error:
    print(error.strerror)
"""


def limited(limit: str, most: int, files: int, size: int, folder: Path) -> str:
    """What a process says that writes files of a size where something is limited."""
    numbers = (str(number) for number in (most, files, size))
    command = [sys.executable, "-c", LIMITED, limit, *numbers, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout.strip()


def test_the_last_file_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    assert limited("RLIMIT_FSIZE", 10_000, 1, 20_000, tmp_path) == "File too large"


def test_there_may_be_more_files_than_can_be_open(tmp_path: Path) -> None:
    assert limited("RLIMIT_NOFILE", 64, 200, 10, tmp_path) == ""
    assert len(list(tmp_path.glob("*/file"))) == 200


def test_files_are_where_their_paths_say(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a": b"1", "b/c/d": b"2", "b/e": b""})
    found = {p.relative_to(tmp_path).as_posix(): p.read_bytes() for p in tmp_path.rglob("*")
             if p.is_file()}  # fmt: skip
    assert found == {"a": b"1", "b/c/d": b"2", "b/e": b""}
