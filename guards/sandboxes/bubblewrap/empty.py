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
MOST_NEEDS: Final = 3  # for which as many are ready as may be: of a candidate there are so many


class Needs(NamedTuple):
    """What a job needs of an empty sandbox.

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
    """Makes empty sandboxes from a template, and has some ready.

    What is asked for again is had ready: one for each that was taken, so there come to be as many
    as are asked for at a time. They end with this object, or with the program.

    Args:
        template: What they are forked from; it is closed with this.
        label: Names the run.
        most: How many are had ready for jobs of the same needs.
    """

    def __init__(self, template: WarmTemplate, label: str, most: int) -> None:
        self.template = template
        self._label = label
        self._most = most
        self._ready: dict[Needs, deque[EmptySandbox]] = {}  # what was asked for last comes last
        self._due = Counter[Needs]()  # being made
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._helper = ThreadPoolExecutor(HELPERS, "empty sandboxes")
        self._end = weakref.finalize(
            self, _close_all, os.getpid(), self._is_over, self._helper, self._ready, template
        )

    def take(self, needs: Needs) -> EmptySandbox | None:
        """Return one that is ready, if there is one, and see to the next."""
        taken: EmptySandbox | None = None
        with self._lock:
            is_known = needs in self._ready and not self._is_over.is_set()
            self._ready[needs] = ready = self._ready.pop(needs, deque[EmptySandbox]())
            while ready and taken is None:
                taken = ready.popleft()
                if not taken.is_alive():
                    self.discard(taken)
                    taken = None
            if is_known and len(ready) + self._due[needs] < self._most:
                self._due[needs] += 1
                self._helper.submit(self._make_ready, needs)
                self._keep_in_bounds()
        return taken

    def make(self, needs: Needs) -> EmptySandbox:
        """Make one, and wait for it.

        Raises:
            SandboxFailed: The kernel refused a part.
            SandboxLost: The template is gone.
        """
        room = self.template.room() if needs.has_broker else None
        try:
            process = self.template.fork(needs.limits, room)
        except BaseException:  # whatever it is, no folder is left behind
            if room is not None:
                remove_lent(room, SOCKET)
            raise
        return EmptySandbox(process, room, enter_groups(self._label, needs.limits, process.pid))

    def discard(self, sandbox: EmptySandbox) -> None:
        """Have a sandbox removed, soon and at the latest when this is closed."""
        try:
            self._helper.submit(sandbox.close)
        except RuntimeError:  # this was closed
            sandbox.close()

    def close(self) -> None:
        """End those that are ready, and the template. Safe to call twice."""
        self._end()

    def _keep_in_bounds(self) -> None:
        """Give up one that has not been asked for the longest time where there are too many."""
        waiting = [ready for ready in self._ready.values() if ready]
        if self._due.total() + sum(map(len, waiting)) > MOST_NEEDS * self._most and waiting:
            self.discard(waiting[0].popleft())

    def _make_ready(self, needs: Needs) -> None:
        if self._is_over.is_set():
            return
        made: EmptySandbox | None = None
        # Whoever needs one makes it, and is told what is wrong.
        with suppress(SandboxError, OSError):
            made = self.make(needs)
        with self._lock:
            self._due[needs] -= 1
            if made is not None:
                self._ready[needs].append(made)


def _close_all(
    owner: int,
    is_over: threading.Event,
    helper: ThreadPoolExecutor,
    ready: dict[Needs, deque[EmptySandbox]],
    template: WarmTemplate,
) -> None:
    if os.getpid() != owner:  # a fork of our program, which ends earlier than we do
        return
    is_over.set()
    helper.shutdown()
    waiting = [each for each_ready in ready.values() for each in each_ready]
    ready.clear()
    for each in waiting:  # all are told before one is waited for
        each.process.release()
    for each in waiting:
        each.close()
    template.close()
