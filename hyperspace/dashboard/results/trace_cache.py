"""Indexes of traces, kept while they are looked at: each is made once, and grows with its file."""

import os
import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from hyperspace.runs.trace import TraceFile
from hyperspace.runs.traces.index import TraceIndex

MOST_HELD: Final = 8


@dataclass(frozen=True)
class IndexedTrace:
    """An open trace with its index.

    Attributes:
        file: The trace; None where there is none to read.
        index: Its index; empty where there is no trace.
        problem: Why it does not tell what was said, as a sentence's end; empty if it does.
    """

    file: BinaryIO | None
    index: TraceIndex
    problem: str


class _Held:
    def __init__(self, status: os.stat_result) -> None:
        self.status = status
        self.index = TraceIndex()
        self.lock = threading.Lock()


class HeldTraces:
    """The indexes of the traces that were read last; may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[Path, _Held] = OrderedDict()

    @contextmanager
    def open(self, trace: TraceFile) -> Generator[IndexedTrace]:
        """Open a trace while the context lasts, with an index of it as it is now."""
        with trace.open() as opened:
            if opened.file is None or trace.path is None:
                yield IndexedTrace(None, TraceIndex(), opened.problem)
                return
            index = self._index(trace.path, opened.file)
            yield IndexedTrace(opened.file, index, opened.problem)

    def _index(self, path: Path, file: BinaryIO) -> TraceIndex:
        status = os.fstat(file.fileno())
        with self._lock:
            held = self._held.pop(path, None)
            if held is None or not has_grown(held.status, status):
                held = _Held(status)
            held.status = status
            self._held[path] = held
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
        with held.lock:
            held.index.extend(file)
        return held.index


def has_grown(before: os.stat_result, now: os.stat_result) -> bool:
    """Return whether a trace is the one that it was, or has at most grown since."""
    is_same = now.st_mtime_ns == before.st_mtime_ns and now.st_size == before.st_size
    return now.st_ino == before.st_ino and (is_same or now.st_size > before.st_size)
