"""Tasks that can draw fresh validation items, so that a memorised set shows."""

from collections import deque
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Final, Generic, Protocol, TypeVar, runtime_checkable

from hyperspace.tasks.base import Domain

T = TypeVar("T")
_KEPT: Final = 4


@runtime_checkable
class Renewable(Protocol):
    """A domain with as many validation sets as there are epochs."""

    def renewed(self, epoch: int) -> Domain:
        """The same task with the validation items of another epoch.

        Train and test stay; epoch 0 is the domain as it was loaded; items of two epochs are
        disjoint. Name and `data_sha256` stay.
        """
        ...


class Epochs(Generic[T]):
    """What is drawn for each epoch, where an epoch has to know those before.

    Runs come to epochs in order, and each is drawn once then: the next costs what the last one
    did. One that lies further back than the newest few is drawn anew, from epoch 0 on.

    Args:
        begin: Draws epoch 0, 1, 2 and so on, the same ones whenever it is called.
    """

    def __init__(self, begin: Callable[[], Iterator[T]]) -> None:
        self._begin = begin
        self._newest: deque[T] = deque(maxlen=_KEPT)
        self._lock = Lock()
        self._start_over()

    def of(self, epoch: int) -> T:
        """Return what is drawn for an epoch, from 0."""
        with self._lock:
            if epoch < self._count - len(self._newest):
                self._start_over()
            while self._count <= epoch:
                try:
                    self._newest.append(next(self._going))
                except Exception:  # of any kind: whoever asks again is told again
                    self._start_over()
                    raise
                self._count += 1
            return self._newest[epoch - self._count]

    def _start_over(self) -> None:
        self._going, self._count = self._begin(), 0
        self._newest.clear()
