"""Ctrl-C as something to look for: an exception could strike in the middle of what a store does."""

import os
import select
import signal
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
        for number in numbers:
            signal.signal(number, self._note)

    def is_set(self) -> bool:
        """Return whether one came."""
        return self._is_noted

    def wait(self, seconds: float) -> bool:
        """Wait until one came, or so long; returns whether one came."""
        select.select([self._read], [], [], seconds)
        return self._is_noted

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        if not self._is_noted:
            self._is_noted = True
            os.write(self._write, b"!")
