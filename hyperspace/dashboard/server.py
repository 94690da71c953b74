"""The server of a dashboard: uvicorn on a socket that is ours."""

import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, cast

import anyio
import msgspec
import uvicorn

from hyperspace.dashboard.api.change import ChangeEndpoint
from hyperspace.dashboard.api.registry import CHANGES
from hyperspace.dashboard.app import build
from hyperspace.dashboard.safety.connections import BoundedConnection, Newcomers
from hyperspace.dashboard.safety.gate import MOST_HEAD_BYTES
from hyperspace.dashboard.safety.session import Session
from hyperspace.dashboard.settings import Settings
from hyperspace.kernel.run.blocked_loop import tell_of_blocks
from hyperspace.resolving import resolve_records

BACKLOG: Final = 32
"""Connections accepted at once: so few that what one of them sent is read before it is among the
oldest of `ConnectionLimits.connections`."""


class WatchedServer(uvicorn.Server):
    """A server that says so when one request has kept its loop from all others."""

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until the end that uvicorn's own server knows."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tell_of_blocks)
            await super().serve(sockets)
            tasks.cancel_scope.cancel()


@contextmanager
def listening(settings: Settings) -> Generator[tuple[socket.socket, Settings]]:
    """Listen while the context lasts; yields the socket, and the settings with its port.

    Raises:
        OSError: The address or the port cannot be had.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)
        yield listener, msgspec.structs.replace(settings, port=listener.getsockname()[1])


def make_server(
    settings: Settings, session: Session, changes: Sequence[ChangeEndpoint] = CHANGES
) -> uvicorn.Server:
    """Return a server that is not started; `run(sockets=[...])` starts it."""
    resolve_records()
    config = uvicorn.Config(
        build(settings, session, changes),
        http=cast("Any", partial(BoundedConnection, settings.limits, Newcomers(session.holds))),
        backlog=BACKLOG,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        ws="none",
        loop="asyncio",
        proxy_headers=False,
        lifespan="off",
        log_config=None,
        log_level="critical",  # what clients do wrong is theirs, what we do is logged by the gate
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
    )
    return WatchedServer(config)


@contextmanager
def serving(
    settings: Settings, changes: Sequence[ChangeEndpoint] = CHANGES
) -> Generator[tuple[Settings, Session]]:
    """Serve in a thread while the context lasts; yields the settings with the port."""
    with listening(settings) as (listener, bound):
        session = Session(bound)
        server = make_server(bound, session, changes)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield bound, session
        finally:
            server.should_exit = True
            thread.join()
