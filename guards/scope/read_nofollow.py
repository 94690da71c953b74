"""Reading one file of a live workspace without following anything that hostile code may place."""

import os
import stat
from contextlib import suppress

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


def read_nofollow(workspace_fd: int, path: str, most_bytes: int) -> bytes | None:
    """Read a regular file below a folder; None if there is none, or it is too large.

    Args:
        workspace_fd: Descriptor of the workspace; stays open.
        path: Relative path; `..` and links are not followed.
        most_bytes: Largest size that is read.
    """
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return None
    with suppress(OSError):
        return _read_beneath(workspace_fd, parts, most_bytes)
    return None


def _read_beneath(folder: int, parts: list[str], most_bytes: int) -> bytes | None:
    if len(parts) == 1:
        with os.fdopen(os.open(parts[0], _FILE, dir_fd=folder), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            content = file.read(most_bytes + 1)
        return content if len(content) <= most_bytes else None
    inner = os.open(parts[0], _FOLDER, dir_fd=folder)
    try:
        return _read_beneath(inner, parts[1:], most_bytes)
    finally:
        os.close(inner)
