"""Ideas that are under way, in now.json: whom a run waits for at this moment, for people.

A view that nothing is decided by: written again at most once a second, gone when the run stops. One
that a kill left behind says nothing any more; whoever reads it asks for the run's lease first.
"""

from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import anyio
import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.executor.base import JobCallbacks
from hyperspace.kernel.files import canonical_json, write_atomically
from hyperspace.research.loop.schedule import Assignment
from hyperspace.wall_clock import utc_now

WRITE_S: Final = 1.0
TAIL_LINES: Final = 20
LONGEST_LINE: Final = 500
_MOST_BYTES: Final = 16 * 1024**2
UnderWayState = Literal["asked", "queued", "running"]


class UnderWay(msgspec.Struct, frozen=True, kw_only=True):
    """An idea that is not closed.

    Attributes:
        number: Its number.
        epoch: Its epoch.
        kind: As the idea's.
        state: `asked`: its model is; `queued`: its job waits for a slot, or for an equal job;
            `running`: its job, or the evaluation of what that left.
        since_utc: Since when it is in this state.
        lines: How many lines its job has printed; from 0 again where it is tried again.
        tail: The last of them, each cut at 500 characters; nobody believes them.
    """

    number: int
    epoch: int
    kind: str
    state: UnderWayState
    since_utc: str
    lines: int = 0
    tail: tuple[str, ...] = ()


class IdeaProgress:
    """One idea, while it is under way."""

    def __init__(self, assignment: Assignment, label: str) -> None:
        self._assignment = assignment
        self._label = label
        self._tail = deque[str](maxlen=TAIL_LINES)
        self._lines = 0
        self.is_changed = True
        self._enter("asked")

    def callbacks(self) -> JobCallbacks:
        """Return what its job is submitted with; until that begins it is queued."""
        self._enter("queued")
        return JobCallbacks(label=self._label, began=self._began, told=self._told)

    def present(self) -> UnderWay:
        """Return it as it is now."""
        self.is_changed = False
        return UnderWay(
            number=self._assignment.number,
            epoch=self._assignment.epoch,
            kind=self._assignment.kind,
            state=self._state,
            since_utc=self._since_utc,
            lines=self._lines,
            tail=tuple(self._tail),
        )

    def _enter(self, state: UnderWayState) -> None:
        self._state: UnderWayState = state
        self._since_utc = utc_now()
        self.is_changed = True

    def _began(self) -> None:
        self._tail.clear()
        self._lines = 0
        self._enter("running")

    def _told(self, line: bytes) -> None:
        self._tail.append(line.decode("utf-8", "replace")[:LONGEST_LINE])
        self._lines += 1
        self.is_changed = True


class UnderWayFile:
    """Writes now.json while a run is played."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ideas: dict[int, IdeaProgress] = {}
        self._is_changed = True

    def begin(self, assignment: Assignment, label: str) -> IdeaProgress:
        """Show one more idea."""
        progress = self._ideas[assignment.number] = IdeaProgress(assignment, label)
        return progress

    def end(self, number: int) -> None:
        """Show an idea no more: it is closed."""
        del self._ideas[number]
        self._is_changed = True

    async def keep(self) -> None:
        """Write what changes until cancelled; then the file goes."""
        try:
            while True:
                if self._is_changed or any(idea.is_changed for idea in self._ideas.values()):
                    self._is_changed = False
                    present = [idea.present() for idea in self._ideas.values()]
                    write_atomically(self._path, canonical_json(present))
                await anyio.sleep(WRITE_S)
        finally:
            self._path.unlink(missing_ok=True)


def read_under_way(path: Path) -> tuple[UnderWay, ...]:
    """Read now.json; nothing where there is none, or none that can be read."""
    with suppress(Unreadable, msgspec.MsgspecError, UnicodeDecodeError):
        ideas = decode_json(read_whole(path, _MOST_BYTES), tuple[UnderWay, ...])
        return tuple(sorted(ideas, key=lambda idea: idea.number))
    return ()
