"""The server of a dashboard: uvicorn on a socket that is ours."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import msgspec
import uvicorn

from dashboard.app import build
from dashboard.settings import Settings

MOST_CONNECTIONS: Final = 200


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
        listener.listen(128)
        yield listener, msgspec.structs.replace(settings, port=listener.getsockname()[1])


def make_server(settings: Settings) -> uvicorn.Server:
    """Return a server that is not started; `run(sockets=[...])` starts it."""
    config = uvicorn.Config(
        build(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config)


@contextmanager
def serving(settings: Settings) -> Generator[Settings]:
    """Serve in a thread while the context lasts; yields the settings with the port."""
    with listening(settings) as (listener, bound):
        server = make_server(bound)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield bound
        finally:
            server.should_exit = True
            thread.join()
