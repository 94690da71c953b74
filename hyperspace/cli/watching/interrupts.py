"""Ctrl-C as something to look for: an exception could strike in the middle of what a store does."""

import os
import select
import signal
from contextlib import suppress
from types import FrameType


class Interrupts:
    """Notes the first of some signals.

    A `threading.Event` that a handler sets would wait for itself, for ever, if the signal struck
    while the event takes its lock to wait.

    Args:
        numbers: Signals that are noted from now on, and do nothing else any more.
    """

    def __init__(self, *numbers: signal.Signals) -> None:
        self._is_noted = False
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        for number in numbers:
            signal.signal(number, self._note)

    def is_set(self) -> bool:
        """Return whether one came."""
        return self._is_noted

    def wait(self, seconds: float) -> bool:
        """Wait until one came, or `wake` was called, or so long; returns whether one came."""
        if not self._is_noted and select.select([self._read], [], [], seconds)[0]:
            os.read(self._read, 4096)
        return self._is_noted

    def wake(self) -> None:
        """End the wait of `wait`, or the next one, from another thread."""
        with suppress(BlockingIOError):  # it was woken often enough
            os.write(self._write, b".")

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        if not self._is_noted:
            self._is_noted = True
            self.wake()
