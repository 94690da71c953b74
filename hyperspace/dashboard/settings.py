"""What a dashboard was started with."""

import socket
from pathlib import Path

import msgspec

from hyperspace.serve.origin import ANY_ADDRESS


class ConnectionLimits(msgspec.Struct, frozen=True):
    """What clients are given.

    Attributes:
        connections: At the same time.
        receive_s: For a whole request, from the connection or the answer before it.
        newcomer_s: The same, of a connection that has shown no cookie.
        send_s: In which some of an answer has to go out.
    """

    connections: int = 200
    receive_s: float = 15.0
    newcomer_s: float = 4.0
    send_s: float = 20.0


class Settings(msgspec.Struct, frozen=True):
    """What a dashboard was started with.

    Attributes:
        results: The folder below which runs are shown; nothing outside of it is read.
        token: What whoever opens the first page must know.
        cache: Where indexes for searching go; never in a run.
        host: Address that is listened on.
        port: Port that is listened on; 0 takes any free one.
        steer: Whether pages and routes that change runs exist.
        limits: What clients are given.
    """

    results: Path
    token: str
    cache: Path
    host: str = "127.0.0.1"
    port: int = 8011
    steer: bool = False
    limits: ConnectionLimits = ConnectionLimits()

    @property
    def url(self) -> str:
        """Its address as a browser of this machine opens it, without the token."""
        name = socket.gethostname() if self.host in ANY_ADDRESS else self.host
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}/"

    @property
    def entrance(self) -> str:
        """Its address with the token."""
        return entrance(self.url, self.token)


def entrance(url: str, token: str) -> str:
    """Return the address that lets a browser in."""
    return f"{url}?token={token}"
