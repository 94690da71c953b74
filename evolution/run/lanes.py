"""Children of one archive side by side: each begins in a free lane, and they close in their order.

A generation that is made early waits for those with lower numbers, so a run's record has no gaps,
wherever it is killed. While it waits another one may use its lane, up to a bound: one slow child
does not hold up the others at once, and not many have to be made again after a kill.
"""

import resource
from pathlib import Path
from typing import Final

import anyio

from evolution.errors import RunUsageError

WATCHES: Final = Path("/proc/sys/fs/inotify/max_user_instances")
WATCHED_BY: Final = 2  # inotify instances of a modification
SPARE: Final = 16  # of them, for what else this user runs
FILES: Final = 15  # that a lane holds open; its sandbox's pipes and sockets are most of them
OTHER_FILES: Final = 100  # that the run holds open, at least
AHEAD: Final = 4  # times the number of lanes


def require_watches(lanes: int) -> None:
    """Check that the host lets us watch as many modifications at a time as there are lanes.

    Raises:
        RunUsageError: It does not, and what some agents open and write would not be seen.
    """
    try:
        most = int(WATCHES.read_text())
    except (OSError, ValueError):  # no inotify: each modification says so itself
        return
    _require(
        *(lanes, WATCHED_BY, SPARE, most),
        "to see what agents open and write takes {needed} inotify instances, and this host gives a "
        "user {most}; allow more (sysctl -w fs.inotify.max_user_instances={needed})",
    )


def require_open_files(lanes: int) -> None:
    """Check that we may hold open what so many lanes do.

    Raises:
        RunUsageError: We may not, and the run would end when the lanes fill.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    _require(
        *(lanes, FILES, OTHER_FILES, most),
        "a run with so many holds {needed:,} files and connections open, and this process may "
        "{most:,}; allow more (ulimit -n {needed})",
    )


def _require(lanes: int, each: int, others: int, most: int, why: str) -> None:
    """Refuse several lanes that need more than there is, and say how many do not."""
    needed = lanes * each + others
    if lanes > 1 and needed > most:
        raise RunUsageError(
            f"--lanes {lanes}: {why.format(needed=needed, most=most)}, or take at most "
            f"--lanes {max((most - others) // each, 1)}"
        )


class Lanes:
    """The lanes of one agent."""

    def __init__(self, count: int, closed: int) -> None:
        """Open lanes.

        Args:
            count: How many children are made at a time.
            closed: How many generations are closed; the next one is that number.
        """
        self._free = anyio.Semaphore(count)
        self._most_open = count * AHEAD
        self._closed = closed
        self._moved = anyio.Event()

    async def begin(self, generation: int) -> "Lane":
        """Wait until a generation may begin; all others wait for generation 0."""
        await self._until_closed(max(generation - self._most_open + 1, min(generation, 1)))
        await self._free.acquire()
        return Lane(self, generation)

    def leave(self) -> None:
        """Let the next generation begin."""
        self._free.release()

    async def wait_for_turn(self, generation: int) -> None:
        """Wait until all generations below one are closed."""
        await self._until_closed(generation)

    def close(self) -> None:
        """Take note that the next generation is closed."""
        self._closed += 1
        self._moved.set()
        self._moved = anyio.Event()

    async def _until_closed(self, count: int) -> None:
        while self._closed < count:
            await self._moved.wait()


class Lane:
    """The lane of one generation."""

    def __init__(self, lanes: Lanes, generation: int) -> None:
        self._lanes = lanes
        self._generation = generation
        self._is_left = False

    async def before_closing(self) -> None:
        """Leave the lane, and wait for the generation's turn; may be called again."""
        if not self._is_left:
            self._is_left = True
            self._lanes.leave()
        await self._lanes.wait_for_turn(self._generation)

    def close(self) -> None:
        """Let the next generation close."""
        self._lanes.close()
