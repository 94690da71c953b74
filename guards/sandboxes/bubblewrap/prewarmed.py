"""Sandboxes without anything in them yet, some of them started before they are asked for.

To start one is to wait: for a fork, and for the kernel, which takes milliseconds to move a process
into control groups. Threads of ours do that for whoever comes next, and remove what is left.
"""

import os
import select
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

import anyio
import anyio.to_thread

from guards.sandboxes.bubblewrap.cgroup import enter_groups, places, remove_groups
from guards.sandboxes.bubblewrap.forked import ForkedProcess
from guards.sandboxes.bubblewrap.template import WarmTemplate
from guards.sandboxes.sandbox import Limits, SandboxError, SandboxFailed, SandboxLost

HELPER: Final = "empty sandboxes"
HELPERS: Final = 4  # threads: they wait for the kernel nearly always
LINGER_S: Final = 1.0
PATIENCE_S: Final = 5.0
MOST_SHARES: Final = 3  # all that wait are at most so many times those for equal needs


class Needs(NamedTuple):
    """What a job needs of an empty sandbox.

    Attributes:
        limits: Its bounds.
        has_broker: Whether code inside is to reach a broker.
    """

    limits: Limits
    has_broker: bool


class PrewarmedSandbox:
    """A sandbox whose walls stand and whose first process waits for its boot frame.

    Args:
        process: That process.

    Attributes:
        groups: Its control groups.

    Raises:
        OSError: The process is gone, or we may open no more descriptors.
    """

    def __init__(self, process: ForkedProcess) -> None:
        self.process = process
        self.groups: Sequence[str] = ()
        self._handle = os.pidfd_open(process.pid)

    def enter_groups(self, label: str, limits: Limits) -> bool:
        """Bound it; returns whether it is in all control groups that a host allows."""
        self.groups = enter_groups(label, limits, self.process.pid)
        return len(self.groups) == len(places())

    def is_alive(self) -> bool:
        """Whether its first process still waits."""
        ended = select.poll()
        ended.register(self._handle, select.POLLIN)
        return not ended.poll(0)

    def close(self) -> None:
        """Kill what is in it, and remove it. To be called once."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        os.close(self._handle)
        self.process.release()
        remove_groups(self.groups)


class PrewarmedSandboxes:
    """Makes empty sandboxes from a template, and has some ready.

    What is asked for again is had ready: one for each that was taken, so there come to be as many
    as are asked for at a time. In a fork of our program none is ready.

    Args:
        template: What they are forked from; it is closed with this.
        label: Names the run.
        most: How many are had ready for equal needs.
    """

    def __init__(self, template: WarmTemplate, label: str, most: int) -> None:
        self.template = template
        self._label = label
        self._most = most
        self._owner = os.getpid()
        self._ready: dict[Needs, deque[PrewarmedSandbox]] = {}  # what was asked for last comes last
        self._due = Counter[Needs]()  # being made
        self._work = deque[Callable[[], None]]()
        self._helpers = 0
        self._idle = 0
        self._making = 0  # for those who wait
        self._is_over = False
        self._changed = threading.Condition()

    def take(self, needs: Needs) -> PrewarmedSandbox | None:
        """Return one that is ready, if there is one, and see to the next."""
        if os.getpid() != self._owner:
            return None
        taken: PrewarmedSandbox | None = None
        left: list[PrewarmedSandbox] = []
        with self._changed:
            is_known = needs in self._ready
            self._ready[needs] = ready = self._ready.pop(needs, deque[PrewarmedSandbox]())
            while ready and taken is None:
                taken = ready.popleft()
                if not taken.is_alive():
                    left.append(taken)
                    taken = None
            if is_known and len(ready) + self._due[needs] < self._most:
                self._due[needs] += self._hand_over(partial(self._make_ready, needs))
            left += self._surplus()
        for each in left:
            self.discard(each)
        return taken

    async def make(self, needs: Needs) -> PrewarmedSandbox:
        """Make one. Where this is cancelled, what comes of it is removed.

        Raises:
            SandboxFailed: The kernel, or the disk, refused a part.
            SandboxLost: The template, or what was forked, is gone.
        """
        handover = _Handover()
        work = partial(self._make_for, handover, needs)
        try:
            # Not the limiter of all: others would wait for a template that is stopped.
            limiter = anyio.CapacityLimiter(1)
            await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
            return handover.take()
        except BaseException:  # a native cancellation too
            if (late := handover.give_up()) is not None:
                self.discard(late)
            raise

    def discard(self, sandbox: PrewarmedSandbox) -> None:
        """Have a sandbox that was taken removed, soon, and before `close` returns."""
        if os.getpid() == self._owner:
            with self._changed:
                if self._hand_over(sandbox.close):
                    return
        sandbox.close()

    def rest(self) -> None:
        """Give up those that are ready; what is asked for again is had ready again."""
        with self._changed:
            left = [each for ready in self._ready.values() for each in ready]
            for ready in self._ready.values():
                ready.clear()
        for each in left:
            self.discard(each)

    def close(self) -> None:
        """End the template, those that are ready and the helpers. Safe to call twice."""
        if os.getpid() != self._owner:  # a fork of our program, which ends earlier than we do
            return
        with self._changed:
            self._is_over = True
            left: list[Callable[[], None]] = [*self._work]
            left += [each.close for ready in self._ready.values() for each in ready]
            self._work.clear()
            self._ready.clear()
            self._changed.notify_all()
        self.template.close()  # first: all that is forked from it, or is about to be, ends
        for work in left:
            work()
        ourselves = int(threading.current_thread().name == HELPER)  # where garbage is collected
        with self._changed:
            self._changed.wait_for(
                lambda: self._helpers <= ourselves and self._making == 0, PATIENCE_S
            )

    def _surplus(self) -> list[PrewarmedSandbox]:
        """Take out what has not been asked for the longest time where there are too many."""
        surplus: list[PrewarmedSandbox] = []
        count = self._due.total() + sum(map(len, self._ready.values()))
        for ready in self._ready.values():
            while ready and count - len(surplus) > MOST_SHARES * self._most:
                surplus.append(ready.popleft())
        return surplus

    def _hand_over(self, work: Callable[[], None]) -> bool:
        """Have a helper do something; False where there is none."""
        if self._is_over:
            return False
        if self._idle <= len(self._work) and self._helpers < HELPERS:
            helper = threading.Thread(target=self._help, name=HELPER, daemon=True)
            with suppress(RuntimeError):  # no more threads are to be had
                helper.start()
                self._helpers += 1
        if self._helpers == 0:
            return False
        self._work.append(work)
        self._changed.notify()
        return True

    def _help(self) -> None:
        while (work := self._next_work()) is not None:
            with suppress(Exception):  # of any kind: whoever needs a sandbox makes it, and is told
                work()

    def _next_work(self) -> Callable[[], None] | None:
        """Wait for something to do; None where there is nothing more."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._work or self._is_over, LINGER_S)
            self._idle -= 1
            if self._work:
                return self._work.popleft()
            self._helpers -= 1
            self._changed.notify_all()
            return None

    def _make_ready(self, needs: Needs) -> None:
        made: PrewarmedSandbox | None = None
        left: list[PrewarmedSandbox] = []
        try:
            if not self._is_over:
                made = self._made(needs, is_strict=True)
        finally:
            with self._changed:
                self._due[needs] -= 1
                if made is not None and not self._is_over:
                    self._ready[needs].append(made)
                    left, made = self._surplus(), None
        if made is not None:
            left.append(made)
        for each in left:
            each.close()

    def _make_for(self, handover: "_Handover", needs: Needs) -> None:
        with self._changed:
            self._making += 1
        try:
            made = self._made(needs)
            if not handover.give(made):
                made.close()
        finally:
            with self._changed:
                self._making -= 1
                self._changed.notify_all()

    def _made(self, needs: Needs, *, is_strict: bool = False) -> PrewarmedSandbox:
        """Make one; a strict one is in all of its control groups."""
        process = empty = None
        try:
            process = self.template.fork(needs.limits, has_broker=needs.has_broker)
            empty = PrewarmedSandbox(process)
            if not empty.enter_groups(self._label, needs.limits) and is_strict:
                raise SandboxFailed("it is not in all of its control groups")
            if not empty.is_alive():
                raise SandboxLost("an empty sandbox was killed from outside")
            return empty
        except BaseException as error:  # whatever it is, nothing is left behind
            if empty is not None:
                empty.close()
            elif process is not None:
                process.release()
            if isinstance(error, OSError):
                raise self._trouble(f"no sandbox can be made: {error}") from error
            raise

    def _trouble(self, words: str) -> SandboxError:
        """Return what a failure means: where the template is gone, that a sandbox was lost."""
        return SandboxFailed(words) if self.template.is_alive() else SandboxLost(words)


class _Handover:
    """What a thread made for a task that may not wait for it any more."""

    def __init__(self) -> None:
        self._made: PrewarmedSandbox | None = None
        self._is_given_up = False
        self._lock = threading.Lock()

    def give(self, made: PrewarmedSandbox) -> bool:
        """Take it in; False if nobody waits."""
        with self._lock:
            if not self._is_given_up:
                self._made = made
            return not self._is_given_up

    def take(self) -> PrewarmedSandbox:
        """Return what was made."""
        made, self._made = self._made, None
        if made is None:
            raise SandboxError("nothing was made")
        return made

    def give_up(self) -> PrewarmedSandbox | None:
        """Return what was made already; what is made later is refused."""
        with self._lock:
            self._is_given_up = True
            made, self._made = self._made, None
            return made
