"""Sandboxes without anything in them yet, some of them started before they are asked for.

To start one is to wait: for a fork, and for the kernel, which takes milliseconds to move a process
into control groups. That is done beside other work for whoever comes next.
"""

import os
import select
import threading
import weakref
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from guards.sandboxes.bubblewrap.cgroup import enter_groups, remove_groups
from guards.sandboxes.bubblewrap.forked import ForkedProcess
from guards.sandboxes.bubblewrap.template import SOCKET, WarmTemplate
from guards.sandboxes.sandbox import Limits, SandboxError
from guards.sandboxes.sweep import remove_lent

HELPERS: Final = 4  # threads: they wait for the kernel nearly always


class Kind(NamedTuple):
    """What an empty sandbox has to be for a job.

    Attributes:
        limits: Its bounds.
        has_broker: Whether it has room for a broker's socket.
    """

    limits: Limits
    has_broker: bool


class EmptySandbox(NamedTuple):
    """A sandbox whose walls stand and whose first process waits for its boot frame.

    Attributes:
        process: That process.
        room: Host folder for its broker's socket; None for no broker.
        groups: Its control groups.
    """

    process: ForkedProcess
    room: Path | None
    groups: Sequence[str]

    def lend(self, broker: Path) -> None:
        """Let it reach a broker.

        Raises:
            OSError: The broker's socket is on another file system (EXDEV).
        """
        os.link(broker / SOCKET, f"{self.room}/{SOCKET}")

    def is_alive(self) -> bool:
        """Whether its first process still waits; the template tells of its end."""
        told = select.poll()
        told.register(self.process.link, select.POLLIN)
        return not told.poll(0)

    def close(self) -> None:
        """Remove it; what runs in it and was not booted ends by that."""
        self.process.release()
        remove_groups(self.groups)
        if self.room is not None:
            remove_lent(self.room, SOCKET)


class EmptySandboxes:
    """Makes empty sandboxes from a template, and has some of each kind ready.

    A kind that is asked for again is had ready: one for each that was taken, so there come to be as
    many as are asked for at a time. They end with this object, or with the program.

    Args:
        template: What they are forked from; it is closed with this.
        label: Names the run.
        most: How many of a kind are had ready.
    """

    def __init__(self, template: WarmTemplate, label: str, most: int) -> None:
        self.template = template
        self._label = label
        self._most = most
        self._asked = Counter[Kind]()
        self._due = Counter[Kind]()  # being made
        self._ready: dict[Kind, deque[EmptySandbox]] = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._helper = ThreadPoolExecutor(HELPERS, "empty sandboxes")
        self._end = weakref.finalize(
            self, _close_all, os.getpid(), self._is_over, self._helper, self._ready, template
        )

    def take(self, kind: Kind) -> EmptySandbox | None:
        """Return one that is ready, if there is one, and see to the next."""
        taken: EmptySandbox | None = None
        with self._lock:
            ready = self._ready.setdefault(kind, deque())
            while ready and taken is None:
                taken = ready.popleft()
                if not taken.is_alive():
                    self.discard(taken)
                    taken = None
            self._asked[kind] += 1
            if self._asked[kind] > 1 and len(ready) + self._due[kind] < self._most:
                self._due[kind] += 1
                self._helper.submit(self._make_ready, kind)
        return taken

    def make(self, kind: Kind) -> EmptySandbox:
        """Make one, and wait for it.

        Raises:
            SandboxFailed: The kernel refused a part.
            SandboxLost: The template is gone.
        """
        room = self.template.room() if kind.has_broker else None
        try:
            process = self.template.fork(kind.limits, room)
        except BaseException:  # whatever it is, no folder is left behind
            if room is not None:
                remove_lent(room, SOCKET)
            raise
        return EmptySandbox(process, room, enter_groups(self._label, kind.limits, process.pid))

    def discard(self, sandbox: EmptySandbox) -> None:
        """Have a sandbox removed, soon and at the latest when this is closed."""
        try:
            self._helper.submit(sandbox.close)
        except RuntimeError:  # this was closed
            sandbox.close()

    def close(self) -> None:
        """End those that are ready, and the template. Safe to call twice."""
        self._end()

    def _make_ready(self, kind: Kind) -> None:
        if self._is_over.is_set():
            return
        made: EmptySandbox | None = None
        # Whoever needs one makes it, and is told what is wrong.
        with suppress(SandboxError, OSError):
            made = self.make(kind)
        with self._lock:
            self._due[kind] -= 1
            if made is not None:
                self._ready[kind].append(made)


def _close_all(
    owner: int,
    is_over: threading.Event,
    helper: ThreadPoolExecutor,
    ready: dict[Kind, deque[EmptySandbox]],
    template: WarmTemplate,
) -> None:
    if os.getpid() != owner:  # a fork of our program, which ends earlier than we do
        return
    is_over.set()
    helper.shutdown()
    waiting = [each for kind in ready.values() for each in kind]
    ready.clear()
    for each in waiting:  # all are told before one is waited for
        each.process.release()
    for each in waiting:
        each.close()
    template.close()
