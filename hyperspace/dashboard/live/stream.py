"""Server-sent events of a run: first how it stands, then whatever changes.

A page that comes again, after it was hidden or the server was started anew, is told how the run
stands, and asks for its curves if it lacks generations; so nothing is kept for those who left.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Final

import anyio
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.live.hub import Listener, LiveRuns, RunHub
from hyperspace.dashboard.results.links import LinkInRun, require_no_links
from hyperspace.dashboard.results.tree import ResultsTree
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.runs.files import why_unreadable
from markspace.errors import StoreError

HEARTBEAT_S: Final = 15.0
RETRY_MS: Final = 1_500
MOST_STREAMS: Final = 100


def event_stream(tree: ResultsTree, live: LiveRuns) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of `/api/runs/{run}/events`."""
    open_streams = 0

    async def handle(request: Request) -> Response:
        try:
            place = await run_sync(tree.place, str(request.path_params["run"]))
            await run_sync(require_no_links, place.folder)
            hub = live.hub(place)
            await run_sync(hub.everything, 0)  # what cannot be read is refused at once
        except NotThere as error:
            return Response(str(error), 404, media_type="text/plain")
        except LinkInRun as error:
            return Response(f"this run is not shown: {error}", 409, media_type="text/plain")
        except (RunUsageError, RunDamaged, StoreError, OSError) as error:
            told = f"this run cannot be read: {why_unreadable(error)}"
            return Response(told, 500, media_type="text/plain")
        if open_streams >= MOST_STREAMS:
            text = f"{open_streams} pages listen already; close some pages of the dashboard"
            return Response(text, 503, media_type="text/plain")
        # The last mark that a page knows; browsers that come back by themselves say it too.
        text = request.headers.get("last-event-id") or request.query_params.get("after", "")
        after = int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0
        return StreamingResponse(counted(hub, after), media_type="text/event-stream")

    async def counted(hub: RunHub, after: int) -> AsyncGenerator[bytes]:
        nonlocal open_streams
        if open_streams >= MOST_STREAMS:  # those that were asked for together begin only now
            return
        open_streams += 1
        try:
            async for data in _events(hub, after):
                yield data
        finally:
            open_streams -= 1

    return handle


async def _events(hub: RunHub, after: int) -> AsyncGenerator[bytes]:
    listener = Listener()
    hub.join(listener)
    try:
        yield b"retry: %d\n\n" % RETRY_MS + await run_sync(hub.everything, after)
        while True:
            with anyio.move_on_after(HEARTBEAT_S) as waiting:
                message = await listener.next()
                yield await run_sync(hub.everything, 0) if message is None else message
            if waiting.cancelled_caught:
                yield b": still here\n\n"
    finally:
        hub.leave(listener)
