"""Group commit: threads that write at once share one transaction of the store.

The first thread leads: it begins a transaction and does the work of all that queue up meanwhile,
then commits and wakes them. When the work of one raises, the transaction is taken back and each
gets its own. When the store itself fails, it fails for all of them.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Any, Generic, TypeVar

from markspace.errors import StoreError

MAX_GROUP = 64

X = TypeVar("X")
T = TypeVar("T")


def held_lock() -> Lock:
    """Return a lock that somebody holds already."""
    lock = Lock()
    lock.acquire()
    return lock


@dataclass(eq=False, slots=True)
class Pending:
    """The work of one thread, which waits until it is done or has to lead.

    Attributes:
        work: What to do inside a transaction.
        result: What it returned.
        error: What it raised, or what its transaction failed of.
        is_settled: Whether it was committed or has failed.
        is_done: Whether its thread is told so, or will be in its turn.
        is_gone: Whether its thread was interrupted and waits no more.
        leads: Whether its thread has to lead the next group.
        next: Whom its thread wakes. Threads wake one after the other, for all at once they would
            only wait again, for the interpreter's lock.
    """

    work: Callable[[Any], Any]
    result: Any = None
    error: BaseException | None = None
    is_settled: bool = False
    is_done: bool = False
    is_gone: bool = False
    leads: bool = False
    next: "Pending | None" = None
    _woken: Lock = field(default_factory=held_lock)

    def wait(self) -> None:
        """Wait for `wake`."""
        self._woken.acquire()

    def wake(self) -> None:
        """Let the thread go on."""
        if self._woken.locked():
            self._woken.release()

    def settle(self, error: BaseException | None = None) -> None:
        """Note that the work was committed, or why not."""
        self.error = error
        self.is_settled = True

    def outcome(self) -> Any:
        """Return what the work returned, or raise what it raised."""
        if self.error is not None:
            raise self.error
        return self.result


class Combiner(Generic[X]):
    """Does work in transactions that threads share.

    Args:
        begin: Begins a transaction of the store, committed at the end of the context.
    """

    def __init__(self, begin: Callable[[], AbstractContextManager[X]]) -> None:
        self._begin = begin
        self._lock = Lock()
        self._queue: deque[Pending] = deque()
        self._is_led = False

    def run(self, work: Callable[[X], T]) -> T:
        """Do `work` and return what it returns, after the commit."""
        mine = Pending(work)
        with self._lock:
            self._queue.append(mine)
            mine.leads = not self._is_led
            self._is_led = True
        if not mine.leads:
            self._wait(mine)
        if not mine.is_done:
            self._lead(mine)
        return mine.outcome()

    def _wait(self, mine: Pending) -> None:
        try:
            mine.wait()
            wake(mine.next)
        except BaseException:  # an interrupt: the others must not wait for this thread to lead
            self._abandon(mine)
            raise

    def _abandon(self, mine: Pending) -> None:
        with self._lock:
            mine.is_gone = True
            if mine in self._queue:
                self._queue.remove(mine)
            heir = self._heir() if mine.leads and not mine.is_done else None
        wake(heir or mine.next)

    def _lead(self, mine: Pending) -> None:
        """Do the work of a group, commit it, and hand the lead on."""
        group: list[Pending] = []
        waiting = len(self._queue)
        try:
            self._do(group)
        except BaseException as error:  # handed to each of the group, and raised again by `mine`
            if not group:  # nothing could begin: it fails for all that waited as long
                group = list(islice(self._taken(), waiting))
            mine.settle(error)
            fail(group, error)
        finally:
            self._finish(mine, group)

    def _do(self, group: list[Pending]) -> None:
        """Do what is queued in one transaction, or each in its own if one of them raises."""
        is_committing = False
        try:
            with self._begin() as tx:
                for pending in self._taken():
                    group.append(pending)
                    pending.result = pending.work(tx)
                is_committing = True
        except StoreError:
            raise
        except Exception:  # raised by somebody's work, which is done again to see whose
            if is_committing or len(group) == 1:
                raise
            for pending in group:
                self._do_alone(pending)
        for pending in group:
            pending.is_settled = True

    def _do_alone(self, pending: Pending) -> None:
        try:
            with self._begin() as tx:
                pending.result = pending.work(tx)
            pending.settle()
        except Exception as error:  # raised again in the thread whose work it is
            pending.settle(error)

    def _taken(self) -> Iterator[Pending]:
        """Return what is queued and what comes meanwhile, up to a limit."""
        for _ in range(MAX_GROUP):
            with self._lock:
                if not self._queue:
                    return
                pending = self._queue.popleft()
            yield pending

    def _finish(self, mine: Pending, group: list[Pending]) -> None:
        """Wake the group one by one, and last whoever leads next."""
        with self._lock:
            heir = self._heir()
            last = mine
            for pending in group:
                pending.is_done = True
                if pending is not mine and not pending.is_gone:
                    last.next = last = pending
            last.next = heir
            mine.is_done = True
        wake(mine.next)

    def _heir(self) -> Pending | None:
        """Choose who leads next, the lock being held."""
        self._is_led = bool(self._queue)
        if not self._queue:
            return None
        self._queue[0].leads = True
        return self._queue[0]


def wake(pending: Pending | None) -> None:
    """Wake a thread, if there is one to wake."""
    if pending is not None:
        pending.wake()


def fail(group: list[Pending], error: BaseException) -> None:
    """Tell those of a group that were not settled that their common transaction failed."""
    for pending in group:
        if pending.is_settled:
            continue
        if isinstance(error, StoreError):
            pending.settle(type(error)(*error.args).with_traceback(error.__traceback__))
        else:
            said = f"the transaction that this write shared with others ended by {error!r}"
            pending.settle(StoreError(f"{said}; look whether it is there before repeating it"))
