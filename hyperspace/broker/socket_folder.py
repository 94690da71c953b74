"""Private folders for broker sockets: short paths, one owner, found again by run label."""

import os
import re
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.sweep import remove_lent

SOCKET_NAME: Final = "s"
SOCKET_MODE: Final = 0o600
BACKLOG: Final = 65_536  # as many as the kernel lets wait
_LONGEST_PATH: Final = 100  # the kernel takes 107 bytes, the socket's own name included
_RANDOM: Final = "[a-z0-9_]{8}"  # what mkdtemp appends


class SocketFolder:
    """A folder that only its owner can enter, with a socket that listens there.

    Args:
        label: Names the run.
        owner_uid: Who gets both; None leaves them ours.
        answer_at: Takes the socket over.
    """

    def __init__(
        self, label: str, owner_uid: int | None, answer_at: Callable[[socket.socket], None]
    ) -> None:
        self._label = label
        self._owner_uid = owner_uid
        self._answer_at = answer_at
        self._path: Path | None = None

    def path(self) -> Path:
        """Return the folder, which is made when it is first asked for."""
        if self._path is None:
            self._path = Path(tempfile.mkdtemp(prefix=_prefix(self._label), dir=_base(self._label)))
            try:
                if self._owner_uid is not None:
                    os.chown(self._path, self._owner_uid, -1)
                self._answer_at(_listening_socket(self._path, self._owner_uid))
            except BaseException:  # whatever it was, nothing is left behind
                self.remove()
                raise
        return self._path

    def remove(self) -> None:
        """Remove the folder and its socket, if they were made."""
        if self._path is not None:
            remove_lent(self._path, SOCKET_NAME)
            self._path = None


def _listening_socket(folder: Path, owner_uid: int | None) -> socket.socket:
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


def sweep_socket_folders(label: str) -> None:
    """Remove the folders that a killed coordinator of that label left behind."""
    pattern = re.compile(re.escape(_prefix(label)) + _RANDOM)
    for entry in _base(label).iterdir():
        if pattern.fullmatch(entry.name):
            remove_lent(entry, SOCKET_NAME)


def _prefix(label: str) -> str:
    return f"hs-{re.sub(r'[^A-Za-z0-9-]', '-', label)[:40]}-"


def _base(label: str) -> Path:
    base = own_folder()
    length = len(os.fsencode(base / f"{_prefix(label)}xxxxxxxx" / SOCKET_NAME))
    return base if length <= _LONGEST_PATH else own_folder(Path("/tmp"))  # noqa: S108 (the short one)
