"""One thread for each run that somebody watches; it ends when nobody does."""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import msgspec

from hyperspace.dashboard.links import Links
from hyperspace.dashboard.live.messages import LiveMessage, Teller
from hyperspace.dashboard.live.research_messages import ResearchTeller
from hyperspace.dashboard.pages.run_cells import Cell
from hyperspace.dashboard.results.arrows import LEARN_S
from hyperspace.dashboard.results.followed import FollowedRun, FollowedRuns
from hyperspace.dashboard.results.followed_research import FollowedResearch
from hyperspace.dashboard.results.place import RunPlace
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.runs.files import why_unreadable
from hyperspace.runs.following.changes import LOOK_S, RunChanges
from hyperspace.runs.research.kind import is_research
from hyperspace.runs.spaces.listing import printable
from markspace.errors import StoreError

BROKEN_S: Final = 3.0  # between looks at a run that cannot be read
MOST_WAITING: Final = 50  # messages for one page; a slower reader gets everything anew


class Listener:
    """One page that listens; belongs to one event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(MOST_WAITING)
        self._has_missed = False

    def tell(self, message: bytes) -> None:
        """Hand over a message, from any thread; never waits."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._offer, message)

    def _offer(self, message: bytes) -> None:
        try:
            self._queue.put_nowait(message)
        except asyncio.QueueFull:
            self._has_missed = True

    async def next(self) -> bytes | None:
        """Return the next message; None if some were dropped because this page was too slow."""
        if self._has_missed:
            self._has_missed = False
            while not self._queue.empty():
                self._queue.get_nowait()
            return None
        return await self._queue.get()


class TellsRun(Protocol):
    """Remembers what was told of a run of either kind, and tells what is new."""

    def whole(self, after: int) -> LiveMessage:
        """Return all that a page shows, with what appeared after the last mark that it knows."""
        ...

    def news(self) -> LiveMessage | None:
        """Return what is new since the last call; None if nothing is."""
        ...


class RunHub:
    """Looks at one run while somebody listens.

    Attributes:
        run: What is looked at.
    """

    def __init__(self, run: FollowedRun | FollowedResearch, teller: Callable[[], TellsRun]) -> None:
        self.run = run
        self._make_teller = teller
        self._lock = threading.Lock()
        self._listeners: set[Listener] = set()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def join(self, listener: Listener) -> None:
        """Tell a page whatever happens from now on."""
        with self._lock:
            self._listeners.add(listener)
            if self._thread is None:
                self._wake.clear()
                self._thread = threading.Thread(target=self._watch, name="live", daemon=True)
                self._thread.start()

    def leave(self, listener: Listener) -> None:
        """Tell a page nothing more."""
        with self._lock:
            self._listeners.discard(listener)
            if not self._listeners:
                self._wake.set()

    def everything(self, after: int) -> bytes:
        """Return how the run stands, for a page that has just come.

        Args:
            after: The last mark that the page knows; 0 for none.

        Raises:
            RunUsageError: Another version wrote it.
            RunDamaged: It has lost its space.
            StoreError: Its space cannot be read.
        """
        return encoded(self._make_teller().whole(after))

    def _watch(self) -> None:
        folder = self.run.folder
        with RunChanges(
            folder if isinstance(folder, Path) else folder.root, self._wake.set
        ) as changes:
            self._tell_changes(changes)

    def _tell_changes(self, changes: RunChanges) -> None:
        teller = self._make_teller()
        wait_s, problem = 0.0, ""
        while not self._has_ended(wait_s):
            began_s = time.monotonic()
            try:
                is_behind = isinstance(self.run, FollowedRun) and (
                    not self.run.learn_arrows(LEARN_S).is_complete
                )
                message = teller.news()
                wait_s, problem = LOOK_S if is_behind else changes.patience_s(), ""
            except (RunUsageError, RunDamaged, StoreError, OSError) as error:
                told = printable(f"this run cannot be read: {why_unreadable(error)}", 400)
                message = LiveMessage(0, cells={"state": Cell(told)}) if told != problem else None
                wait_s, problem = BROKEN_S, told
            if message is not None:
                data = encoded(message)
                with self._lock:
                    present = tuple(self._listeners)
                for listener in present:
                    listener.tell(data)
            changes.rest(time.monotonic() - began_s)

    def _has_ended(self, wait_s: float) -> bool:
        """Wait for the next look; return whether nobody listens any more."""
        self._wake.wait(wait_s)
        with self._lock:
            if self._listeners:
                self._wake.clear()
                return False
            self._thread = None
            return True


class LiveRuns:
    """The hubs of all runs that somebody watches."""

    def __init__(self, followed: FollowedRuns, links: Links) -> None:
        self._followed = followed
        self._links = links
        self._lock = threading.Lock()
        self._hubs: dict[str, RunHub] = {}

    def hub(self, place: RunPlace) -> RunHub:
        """Return the hub of a run."""
        with self._lock:
            hub = self._hubs.get(place.id)
            new = self._new_hub(place)
            if hub is None or hub.run is not new.run:
                hub = self._hubs[place.id] = new
            return hub

    def _new_hub(self, place: RunPlace) -> RunHub:
        if is_research(place.folder):
            research = self._followed.research(place)
            return RunHub(research, lambda: ResearchTeller(research, place.id, self._links))
        run = self._followed.run(place)
        return RunHub(run, lambda: Teller(run, place.id, self._links))


def encoded(message: LiveMessage) -> bytes:
    """Return a message as a server-sent event."""
    data = msgspec.json.encode(message)
    return b"id: %d\ndata: %b\n\n" % (message.sequence, data)
