"""A disk without room: it is told as that, and no file is left that looks like a damaged space."""

import subprocess
import sys
from pathlib import Path

import pytest

from markspace import Agent, MarkSpace, Observation, Scope
from markspace.stores.sqlite import SQLiteStore
from tests.support.paths import ROOT

ON_A_SMALL_DISK = 'mount -t tmpfs -o size="$1" tmpfs "$2" || exit 99; shift 2; exec "$@"'
CREATE = """
import sys
from markspace.errors import StoreFull
from markspace.stores.sqlite import SQLiteStore
try:
    SQLiteStore(sys.argv[1]).close()
except StoreFull as error:
    print(error)
"""
COPY = """
import sys
from pathlib import Path
from markspace.errors import StoreFull
from markspace.stores.sqlite import SQLiteStore
try:
    SQLiteStore(sys.argv[2], read_only=True).copy_to(Path(sys.argv[1]))
except StoreFull as error:
    print(error)
"""


def on_a_small_disk(size: str, disk: Path, script: str, *arguments: Path) -> str:
    """What a script prints whose first argument lies on a disk of a size."""
    disk.mkdir(exist_ok=True)
    command = (sys.executable, "-c", script, str(disk / "space.db"), *map(str, arguments))
    inside = ("unshare", "-m", "sh", "-c", ON_A_SMALL_DISK, "sh", size, str(disk), *command)
    done = subprocess.run(inside, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.long
@pytest.mark.parametrize("size", ["8k", "40k", "80k", "100k"])
def test_a_space_that_there_is_no_room_for_is_not_told_to_be_damaged(
    tmp_path: Path, size: str
) -> None:
    path = tmp_path / "disk" / "space.db"
    no_room = f"no room left on the disk of {path}; free some and write again"
    assert on_a_small_disk(size, path.parent, CREATE) == no_room


@pytest.mark.long
def test_a_copy_that_there_is_no_room_for_is_told_by_its_own_disk(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "whole.db")
    space = MarkSpace([Scope(name="a")], store=store)
    writer = Agent(name="ann", scopes={"a": ["observation"]})
    space.write(writer, Observation(scope="a", topic="t", content="x" * 200_000))
    store.close()
    told = on_a_small_disk("100k", tmp_path / "disk", COPY, tmp_path / "whole.db")
    assert told.startswith(f"no room left on the disk of {tmp_path / 'disk' / 'space.db'};")
