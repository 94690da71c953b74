"""Watches on files for as many users as there are: the first few have a kernel queue of their own.

The kernel gives a user few instances of inotify (128), and a watch belongs to an instance. So all
further users of this process share one, kept for them from the first on, whose events a thread
hands to those who asked for them. A queue of one's own cannot be filled by anybody else; a shared
one is emptied as it fills, and who is given more than `MOST_PENDING` events before it takes them
loses its own alone.
"""

import errno
import os
import select
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Final, Protocol

from guards.scope import inotify
from guards.scope.inotify import Inotify, InotifyEvent

OWN: Final = 8  # instances of this process beside the shared one
MOST_PENDING: Final = 16_384  # as the kernel's own queues
_LOST: Final = InotifyEvent(-1, inotify.OVERFLOW, "")

_own = threading.BoundedSemaphore(OWN)


class Watches(Protocol):
    """A queue of events about what is watched, as `Inotify` is."""

    def fileno(self) -> int:
        """A descriptor that is readable when there are events."""
        ...

    def watch(self, descriptor: int, mask: int, name: str = "") -> int:
        """Watch what a descriptor is open on, or an entry of that folder; return its number."""
        ...

    def read(self) -> Iterator[InotifyEvent]:
        """Yield what is in the queue now; does not wait."""
        ...

    def close(self) -> None:
        """End every watch; safe to call twice."""
        ...


def open_watches() -> Watches:
    """Return a queue without watches.

    Raises:
        OSError: The kernel refuses; says why.
    """
    shared = _the_shared()  # first, so that there is one whatever the others take
    if _own.acquire(blocking=False):
        try:
            return _OwnWatches()
        except OSError:
            _own.release()
    return SharedWatches(shared)


class _OwnWatches(Inotify):
    """An instance of one user alone."""

    def close(self) -> None:
        """End every watch; safe to call twice."""
        if self.fileno() >= 0:
            _own.release()
        super().close()


class SharedWatches:
    """What one user watches by the shared instance."""

    def __init__(self, shared: "_Shared") -> None:
        self._shared = shared
        self._pending: deque[InotifyEvent] = deque()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        try:
            shared.add(self)
        except OSError:
            os.close(self._wake)
            raise

    def fileno(self) -> int:
        """A descriptor that is readable when there are events."""
        return self._wake

    def watch(self, descriptor: int, mask: int, name: str = "") -> int:
        """Watch something; see `Inotify.watch`."""
        return self._shared.watch(self, descriptor, mask, name)

    def read(self) -> Iterator[InotifyEvent]:
        """Yield what is in the queue now, in the kernel's order; does not wait."""
        with self._shared.lock:
            self._shared.hand_out()
            events, self._pending = self._pending, deque()
            with suppress(BlockingIOError):
                os.eventfd_read(self._wake)
        yield from events

    def put(self, event: InotifyEvent) -> None:
        """Add an event; equal ones that follow each other are one, as in the kernel's queue."""
        if self._pending and self._pending[-1] == event:
            return
        if len(self._pending) >= MOST_PENDING:
            event = _LOST
            if self._pending[-1] == _LOST:
                return
        self._pending.append(event)
        if len(self._pending) == 1:
            os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        """End every watch; safe to call twice."""
        if self._wake < 0:
            return
        self._shared.remove(self)
        descriptor, self._wake = self._wake, -1
        os.close(descriptor)


class _Shared:
    """The instance that many users share, and the thread that empties it.

    Attributes:
        lock: Held while events are handed out, and while what is watched changes.
        users: Who shares it.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.users: set[SharedWatches] = set()
        self._masks: dict[int, dict[SharedWatches, int]] = {}
        self._inotify = Inotify()
        self._thread: threading.Thread | None = None

    def add(self, user: SharedWatches) -> None:
        """Let a user share it.

        Raises:
            OSError: There is no thread to empty it.
        """
        with self.lock:
            if self._thread is None:
                thread = threading.Thread(target=self._empty, name="shared watches", daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:
                    raise OSError(errno.EAGAIN, f"shared watches need a thread: {error}") from error
                self._thread = thread
            self.users.add(user)

    def watch(self, user: SharedWatches, descriptor: int, mask: int, name: str) -> int:
        """Watch something for a user, beside what others watch it for."""
        with self.lock:
            self.hand_out()  # what was done before is nothing to a new user
            number = self._inotify.watch(descriptor, mask | inotify.BESIDE, name)
            self._masks.setdefault(number, {})[user] = mask
            return number

    def hand_out(self) -> None:
        """Give the events that there are to those who asked for them."""
        with self.lock:
            for event in self._inotify.read():
                if event.mask & inotify.OVERFLOW:
                    for user in self.users:
                        user.put(event)
                    continue
                is_gone = event.mask & inotify.IGNORED
                masks = self._masks.get(event.watch, {})
                for user, mask in masks.items():
                    if is_gone or event.mask & mask & inotify.KINDS:
                        user.put(event)
                if is_gone:
                    self._masks.pop(event.watch, None)

    def remove(self, user: SharedWatches) -> None:
        """End a user's watches; what nobody else watches is left alone by the kernel."""
        with self.lock:
            self.users.discard(user)
            for number in [number for number, masks in self._masks.items() if user in masks]:
                del self._masks[number][user]
                if not self._masks[number]:
                    del self._masks[number]
                    self._inotify.unwatch(number)

    def _empty(self) -> None:
        waiting = select.poll()
        waiting.register(self._inotify, select.POLLIN)
        while True:
            waiting.poll()
            self.hand_out()


@cache
def _the_shared() -> _Shared:
    return _Shared()
