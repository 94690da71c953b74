"""Tells of an event loop that one step has kept from everything else.

What counts is the processor time of the loop's own thread: on a busy machine everything takes long,
and nothing is wrong with it.
"""

import logging
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Final

import anyio

from hyperspace.own_files import ROOT

BLOCKED_S: Final = 0.25
_BEAT_S: Final = 0.05
_LOG: Final = logging.getLogger(__name__)


async def tell_of_blocks() -> None:
    """Log each time when the loop was blocked, and where if that was seen, until cancelled."""
    watch = _Watch(threading.get_ident())
    thread = threading.Thread(target=watch.look, name="blocked-loop", daemon=True)
    thread.start()
    try:
        while True:
            watch.began = began = time.thread_time()
            watch.place = ""
            await anyio.sleep(_BEAT_S)
            blocked_s = time.thread_time() - began
            if blocked_s > BLOCKED_S:
                where = watch.place or "in one call that let no other thread run"
                _LOG.warning("the event loop was blocked for %.0f ms %s", 1000 * blocked_s, where)
    finally:
        # The clock of a thread that has ended must not be read.
        watch.stopped.set()
        thread.join()


class _Watch:
    """Looks from another thread at what the loop's is doing.

    Attributes:
        began: Processor time of the loop's thread at its last beat.
        place: Where it was when that was long ago.
        stopped: Set when nobody looks any more.
    """

    def __init__(self, loop_thread: int) -> None:
        self.began = time.thread_time()
        self.place = ""
        self.stopped = threading.Event()
        self._loop_thread = loop_thread
        self._clock = time.pthread_getcpuclockid(loop_thread)

    def look(self) -> None:
        """Look every few hundredths of a second."""
        while not self.stopped.wait(_BEAT_S):
            if time.clock_gettime(self._clock) - self.began > BLOCKED_S / 2 and not self.place:
                self.place = _place(self._loop_thread)


def _place(thread: int) -> str:
    """Return the innermost line of ours that a thread is in."""
    frame = sys._current_frames().get(thread)  # pyright: ignore[reportPrivateUsage]  documented
    stack = traceback.extract_stack(frame)
    ours = [line for line in stack if Path(line.filename).is_relative_to(ROOT)]
    if not ours:
        return ""
    path = Path(ours[-1].filename).relative_to(ROOT)
    return f"in {path}, line {ours[-1].lineno} ({ours[-1].name})"
