"""Where the index lies: beside the runs if that can be written, else in a temporary folder."""

import os
import stat
import tempfile
from pathlib import Path
from typing import Final

from hyperspace.kernel.files import sha256_hex

NAME: Final = ".hyperspace-dashboard"


def index_folder(results: Path) -> Path:
    """Return the folder for a results folder's index; it is made when something is searched."""
    beside = results / NAME
    if _is_ours(beside) or (not os.path.lexists(beside) and os.access(results, os.W_OK)):
        return beside
    digest = sha256_hex(os.fsencode(results.resolve()))[:16]
    return Path(tempfile.gettempdir()) / f"{NAME[1:]}-{os.getuid()}" / digest


def make_folder(cache: Path) -> None:
    """Make the folder of an index, for its owner alone.

    Raises:
        OSError: It cannot be made, or somebody else has made it.
    """
    for folder in (cache.parent, cache):
        if not os.path.lexists(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(cache):
        raise PermissionError(f"{cache} is a link, or belongs to somebody else")


def _is_ours(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
