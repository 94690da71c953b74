"""Children of one archive side by side: each begins in a free lane, and they close in their order.

A generation that is made early waits for those with lower numbers, so a run's record has no gaps,
wherever it is killed. While it waits another one may use its lane, up to a bound: one slow child
does not hold up the others at once, and not many have to be made again after a kill.
"""

import resource
from typing import Final

import anyio

from hyperspace.kernel.errors import RunUsageError

FILES: Final = 15  # that a lane holds open; its sandbox's pipes and sockets are most of them
FILES_OF_WORKER: Final = 10  # that each sandbox more of an evaluation does
OTHER_FILES: Final = 100  # that the run holds open, at least
AHEAD: Final = 4  # times the number of lanes


def require_open_files(lanes: int, workers: int) -> None:
    """Check that we may hold open what so many lanes do.

    Args:
        lanes: How many candidates are made at a time.
        workers: How many sandboxes answer the items of each.

    Raises:
        RunUsageError: We may not, and the run would end when the lanes fill.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    each = FILES + (workers - 1) * FILES_OF_WORKER
    needed = lanes * each + OTHER_FILES
    if needed <= most:
        return
    flags = {"--lanes": lanes, "--eval-workers": workers}
    named = " with ".join(f"{flag} {number}" for flag, number in flags.items() if number > 1)
    fewer = f", or take at most --lanes {max((most - OTHER_FILES) // each, 1)}" if lanes > 1 else ""
    fewer += ", or fewer --eval-workers" if workers > 1 else ""
    raise RunUsageError(
        f"{f'{named}: such a run' if named else 'a run'} holds {needed:,} files and connections "
        f"open, and this process may {most:,}; allow more (ulimit -n {needed}){fewer}"
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
