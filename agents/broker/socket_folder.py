"""Private folders for broker sockets: short paths, one owner, found again by run label."""

import os
import re
import socket
import tempfile
from pathlib import Path
from typing import Final

from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.sweep import remove_lent

SOCKET_NAME: Final = "s"
SOCKET_MODE: Final = 0o600
BACKLOG: Final = 65_536  # as many as the kernel lets wait
_LONGEST_PATH: Final = 100  # the kernel takes 107 bytes, the socket's own name included
_RANDOM: Final = "[a-z0-9_]{8}"  # what mkdtemp appends


def make_socket_folder(label: str, owner_uid: int | None) -> Path:
    """Make a folder that only its owner can enter.

    Args:
        label: Names the run.
        owner_uid: Who gets the folder; None leaves it ours.
    """
    folder = Path(tempfile.mkdtemp(prefix=_prefix(label), dir=_base(label)))
    if owner_uid is not None:
        os.chown(folder, owner_uid, -1)
    return folder


def listening_socket(folder: Path, owner_uid: int | None) -> socket.socket:
    """Listen in a folder of `make_socket_folder`, for its owner alone."""
    address = folder / SOCKET_NAME
    bound = socket.socket(socket.AF_UNIX)
    try:
        bound.bind(str(address))  # in a private folder: nobody connects before its mode is set
        address.chmod(SOCKET_MODE)
        if owner_uid is not None:
            os.chown(address, owner_uid, -1)
        bound.listen(BACKLOG)
    except BaseException:
        bound.close()
        raise
    return bound


def remove_socket_folder(folder: Path) -> None:
    """Remove a folder and its socket; safe to call twice."""
    remove_lent(folder, SOCKET_NAME)


def sweep_socket_folders(label: str) -> None:
    """Remove the folders that a killed coordinator of that label left behind."""
    pattern = re.compile(re.escape(_prefix(label)) + _RANDOM)
    for entry in _base(label).iterdir():
        if pattern.fullmatch(entry.name):
            remove_socket_folder(entry)


def _prefix(label: str) -> str:
    return f"hs-{re.sub(r'[^A-Za-z0-9-]', '-', label)[:40]}-"


def _base(label: str) -> Path:
    base = own_folder()
    length = len(os.fsencode(base / f"{_prefix(label)}xxxxxxxx" / SOCKET_NAME))
    return base if length <= _LONGEST_PATH else own_folder(Path("/tmp"))  # noqa: S108 (the short one)
