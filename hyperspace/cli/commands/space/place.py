"""Which space a command means: a run's, or any other."""

import argparse
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hyperspace.runs.spaces.listing import Wording
    from markspace import MarkSpace


class Place(NamedTuple):
    """An open space.

    Attributes:
        name: As the person wrote it.
        space: The space, open for reading only.
        wording: How to speak of its marks.
    """

    name: str
    space: "MarkSpace"
    wording: "Wording"


def add_place(parser: argparse.ArgumentParser) -> None:
    """Declare the space."""
    parser.add_argument(
        "space",
        metavar="SPACE",
        help="run folder, SQLite file of a space, or postgresql://host/database?space=NAME "
        "(the password comes from PGPASSWORD or a service file)",
    )


def add_scope(parser: argparse.ArgumentParser) -> None:
    """Declare the restriction to a scope."""
    parser.add_argument("--scope", metavar="SCOPE", help="only this scope and what is below it")


def add_lines(parser: argparse.ArgumentParser) -> None:
    """Declare the machine-readable form of what is printed line by line."""
    parser.add_argument("--json", action="store_true", help="one JSON object a line, in full")


@contextmanager
def open_place(where: str) -> Generator[Place]:
    """Open the space that a person means, while the context lasts.

    Raises:
        RunUsageError: It is a folder without a run, or another version wrote that.
        RunDamaged: The run has lost its space.
        SpaceUsageError: It is no space.
        StoreError: It cannot be read.
    """
    from hyperspace.runs.spaces.listing import OF_A_RUN, PLAIN
    from hyperspace.runs.spaces.opening import open_space

    if not Path(where).is_dir():
        with open_space(where) as space:
            yield Place(where, space, PLAIN)
        return
    with open_space(space_of_run(Path(where))) as space:
        # A run lives on logical time: its present is the time of its last mark.
        with space.store.snapshot() as reader:
            space.set_clock(reader.head().clock)
        yield Place(where, space, OF_A_RUN)


def space_of_run(run: Path) -> str:
    """Return the file or the address of a run's space, once it is clear that it can be read."""
    from hyperspace.kernel.state.config import read_record_of
    from hyperspace.kernel.state.folder import RunFolder
    from hyperspace.kernel.state.remote.place import has_space, require_space, space_of

    folder = RunFolder(run)
    if folder.record.exists() or not has_space(folder):  # a run begins with its space
        read_record_of(run)
        require_space(folder)
    return space_of(folder)
