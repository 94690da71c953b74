"""Replies that are still being written, in a small file for whoever follows a run from outside.

It lies in the run folder while there are any. It is a view: nothing reads it to go on, exports
leave it out, and what a kill leaves behind is too old to count after a few seconds.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.events import Event, GenerationClosed, ModelCalled, Observer, ReplyGrowing
from hyperspace.kernel.files import canonical_json
from hyperspace.kernel.state.folder import REPLIES

STALE_S: Final = 20.0  # a reply that grows is reported every 5 s
MOST_BYTES: Final = 1_000_000


class GrowingReply(msgspec.Struct, frozen=True, order=True):
    """A reply that is still being written.

    Attributes:
        agent: Whose sandbox asked.
        generation: In which generation.
        purpose: `modify`, `gate`, or the split that is evaluated.
        tokens: How long it is so far, estimated.
        at_s: When that was, in seconds since 1970.
    """

    agent: str
    generation: int
    purpose: str
    tokens: int
    at_s: float

    @property
    def text(self) -> str:
        """What is told of it."""
        return f"{self.agent} gen {self.generation} {self.purpose}: {growing_text(self.tokens)}"


def growing_text(tokens: int) -> str:
    """Tell how long a reply is that is still being written."""
    return f"still writing, {tokens:,} tokens so far"


class GrowingReplies:
    """Keeps the file of one run.

    Of an agent's calls that are made at the same time for one purpose, the last that was reported
    is told.
    """

    def __init__(self, run: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = run / REPLIES
        self._clock = clock
        self._replies: dict[tuple[str, int, str], GrowingReply] = {}

    def observing(self, observer: Observer) -> Observer:
        """Return an observer that keeps the file and tells another one everything."""

        def observe(event: Event) -> None:
            self.take(event)
            observer(event)

        return observe

    def take(self, event: Event) -> None:
        """Learn from one event."""
        match event:
            case ReplyGrowing(agent, generation, purpose, tokens):
                reply = GrowingReply(agent, generation, purpose, tokens, round(self._clock(), 1))
                self._replies[agent, generation, purpose] = reply
            case ModelCalled(agent, generation, purpose):
                if self._replies.pop((agent, generation, purpose), None) is None:
                    return
            case GenerationClosed(agent, generation):
                gone = [key for key in self._replies if key[:2] == (agent, generation)]
                if not gone:
                    return
                for key in gone:
                    del self._replies[key]
            case _:
                return
        with suppress(OSError):  # a view that cannot be written stops no run
            self._write()

    def _write(self) -> None:
        if not self._replies:
            self._path.unlink(missing_ok=True)
            return
        beside = self._path.with_name(f"{REPLIES}.tmp")
        beside.write_bytes(canonical_json(sorted(self._replies.values())))
        beside.replace(self._path)


def growing_replies(run: Path, now_s: float | None = None) -> tuple[GrowingReply, ...]:
    """Return the replies of a run that are being written at present.

    Args:
        run: Its folder.
        now_s: Seconds since 1970; None for now.
    """
    try:
        content = read_whole(run / REPLIES, MOST_BYTES)
        replies = decode_json(content, tuple[GrowingReply, ...])
    except (OSError, Unreadable, msgspec.MsgspecError):
        return ()
    now_s = time.time() if now_s is None else now_s
    return tuple(reply for reply in replies if abs(now_s - reply.at_s) < STALE_S)
