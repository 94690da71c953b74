"""inotify, from the C library: the kernel tells who opened, read, changed or moved what is watched.

A watch is on an inode, so it stays with a file under every name that it gets. Equal events that
follow each other are told as one. See inotify(7).
"""

import ctypes
import errno
import fcntl
import os
import struct
import termios
import threading
from array import array
from collections.abc import Iterator
from typing import Final, NamedTuple

ACCESS: Final = 0x001  # read, or a folder's names were
MODIFY: Final = 0x002
CLOSE_WRITE: Final = 0x008
CLOSE_NOWRITE: Final = 0x010
OPEN: Final = 0x020
MOVED_FROM: Final = 0x040
MOVED_TO: Final = 0x080
CREATE: Final = 0x100
DELETE: Final = 0x200
MOVE_SELF: Final = 0x800
OVERFLOW: Final = 0x4000  # the kernel's queue was full: events are lost
IGNORED: Final = 0x8000  # what was watched is gone
IS_FOLDER: Final = 0x4000_0000
BESIDE: Final = 0x2000_0000  # in a mask: what the inode is watched for already stays
KINDS: Final = 0xFFF  # what was done, of an event's mask
_NO_FOLLOW: Final = 0x0200_0000

_HEAD: Final = struct.Struct("iIII")  # watch, mask, cookie, length of the name
_REFUSALS: Final = {
    errno.ENOSPC: "the limit fs.inotify.max_user_watches is reached",
    errno.EMFILE: "the limit fs.inotify.max_user_instances is reached",
    errno.ENOSYS: "there is no inotify here, which needs Linux",
}
_MOST_ENDING: Final = 8
_ending = threading.BoundedSemaphore(_MOST_ENDING)


class InotifyEvent(NamedTuple):
    """One event.

    Attributes:
        watch: Number of the watch that it is for; -1 for `OVERFLOW`.
        mask: What happened, as bits of this module.
        name: Which entry of a watched folder; empty for what is watched itself.
    """

    watch: int
    mask: int
    name: str


class Inotify:
    """A queue of events about the inodes that it watches; end it with `close`."""

    def __init__(self) -> None:
        """Make one without watches.

        Raises:
            OSError: The kernel refuses; says why.
        """
        self._libc = ctypes.CDLL(None, use_errno=True)
        if not hasattr(self._libc, "inotify_init1"):
            raise _refusal(errno.ENOSYS)
        self._libc.inotify_add_watch.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32)
        self._fd: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            raise _refusal(ctypes.get_errno())

    def fileno(self) -> int:
        """The descriptor, which is readable when there are events."""
        return self._fd

    def watch(self, descriptor: int, mask: int, name: str = "") -> int:
        """Watch what a descriptor is open on (`O_PATH` is enough); return the watch's number.

        An inode that is watched already keeps its number and gets the new mask, with `BESIDE` both.

        Args:
            descriptor: Open on what is watched, or on its folder.
            mask: What to tell, as bits of this module.
            name: Which entry of the folder; a link is watched itself. Empty for no folder.

        Raises:
            OSError: The kernel refuses; says why.
        """
        path = f"/proc/self/fd/{descriptor}"
        if name:
            path, mask = f"{path}/{name}", mask | _NO_FOLLOW
        number: int = self._libc.inotify_add_watch(self._fd, os.fsencode(path), mask)
        if number < 0:
            raise _refusal(ctypes.get_errno())
        return number

    def unwatch(self, number: int) -> None:
        """End one watch, if it is there."""
        self._libc.inotify_rm_watch(self._fd, number)

    def read(self) -> Iterator[InotifyEvent]:
        """Yield what is in the queue now, in the kernel's order; does not wait."""
        # Not until it is empty: who makes events faster than we read would keep us here.
        size = array("i", [0])
        fcntl.ioctl(self._fd, termios.FIONREAD, size)
        data = os.read(self._fd, size[0]) if size[0] else b""
        place = 0
        while place < len(data):
            watch, mask, _, length = _HEAD.unpack_from(data, place)
            place += _HEAD.size + length
            name = os.fsdecode(data[place - length : place].rstrip(b"\0")) if length else ""
            yield InotifyEvent(watch, mask, name)

    def close(self) -> None:
        """End every watch; safe to call twice.

        The kernel takes milliseconds for that, for which a thread waits, unless many do.
        """
        if self._fd < 0:
            return
        descriptor, self._fd = self._fd, -1
        if not _ending.acquire(blocking=False):
            os.close(descriptor)
        else:
            try:
                threading.Thread(target=_end, args=(descriptor,), name="end of watches").start()
            except RuntimeError:  # no thread is to be had
                _end(descriptor)


def _end(descriptor: int) -> None:
    try:
        os.close(descriptor)
    finally:
        _ending.release()


def _refusal(code: int) -> OSError:
    why = _REFUSALS.get(code, os.strerror(code))
    return OSError(code, f"the kernel does not let us watch files: {why}")
