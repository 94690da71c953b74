"""Where a run of a results folder lies, by an id that no path can be made of."""

from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.kernel.files import sha256_hex, written_name

ID_DIGITS: Final = 12


class RunPlace(NamedTuple):
    """Where a run lies.

    Attributes:
        id: Of its place: the start of the SHA-256 of its name.
        name: Its path below the results folder, with slashes; `.` if it is that folder.
        folder: Its folder.
    """

    id: str
    name: str
    folder: Path


def place_of(folder: Path, results: Path) -> RunPlace:
    """Return the place of a run below a results folder."""
    name = folder.relative_to(results).as_posix()
    digest = sha256_hex(name.encode("utf-8", "surrogateescape"))
    return RunPlace(digest[:ID_DIGITS], written_name(name), folder)
