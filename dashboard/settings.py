"""What a dashboard was started with."""

from pathlib import Path

import msgspec


class Settings(msgspec.Struct, frozen=True):
    """What a dashboard was started with.

    Attributes:
        results: The folder below which runs are shown; nothing outside of it is read.
        token: What whoever opens the first page must know.
        cache: Where indexes for searching go; never in a run.
        host: Address that is listened on.
        port: Port that is listened on; 0 takes any free one.
        steer: Whether pages and routes that change runs exist.
    """

    results: Path
    token: str
    cache: Path
    host: str = "127.0.0.1"
    port: int = 8011
    steer: bool = False
