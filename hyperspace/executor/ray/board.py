"""What runs where, told by each coordinator in the cluster's own table."""

import os
import socket
import time
from contextlib import suppress
from typing import Any, Final

import msgspec

from guards.parsing import decode_json
from hyperspace.executor.ray.library import submodule

BEAT_S: Final = 5.0
_STALE_S: Final = 60.0
_NAMESPACE: Final = b"hyperspace"


class RunningJob(msgspec.Struct, frozen=True):
    """A job that is played.

    Attributes:
        label: Its name for people.
        node: On which node.
        since: Unix time in seconds.
    """

    label: str
    node: str
    since: float


class CoordinatorJobs(msgspec.Struct, frozen=True):
    """A coordinator and what it has running.

    Attributes:
        host: Its machine.
        pid: Its process there.
        at: When it told so, as Unix time in seconds.
        jobs: What it has running.
        refused: Why a node is refused by it, by the node's id.
    """

    host: str
    pid: int
    at: float
    jobs: list[RunningJob]
    refused: dict[str, str]


class BoardEntry:
    """This coordinator's entry in the table."""

    def __init__(self) -> None:
        self._key = f"{socket.gethostname()}/{os.getpid()}".encode()

    def tell(self, jobs: list[RunningJob], refused: dict[str, str]) -> None:
        """Tell what runs at present."""
        entry = CoordinatorJobs(socket.gethostname(), os.getpid(), time.time(), jobs, refused)
        _table()._internal_kv_put(
            self._key, msgspec.json.encode(entry), overwrite=True, namespace=_NAMESPACE
        )

    def clear(self) -> None:
        """Take the entry out."""
        _table()._internal_kv_del(self._key, namespace=_NAMESPACE)


def coordinators() -> list[CoordinatorJobs]:
    """Return the entries of coordinators that were heard of in the last minute."""
    table = _table()
    keys = table._internal_kv_list(b"", namespace=_NAMESPACE)
    values = [table._internal_kv_get(key, namespace=_NAMESPACE) for key in keys]
    entries = list[CoordinatorJobs]()
    for value in values:
        with suppress(msgspec.DecodeError):  # of another version, or none of ours
            entries.append(decode_json(value or b"", CoordinatorJobs))
    return sorted(
        (entry for entry in entries if time.time() - entry.at < _STALE_S),
        key=lambda entry: (entry.host, entry.pid),
    )


def _table() -> Any:
    return submodule("experimental.internal_kv")
