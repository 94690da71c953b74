"""What says that a dashboard runs, so that a run can print a link to its page there.

A file for each dashboard in a folder that is the person's alone. It holds no token: the link opens
in a browser that was let in before.
"""

import os
import secrets
import socket
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from guards.parsing import decode_json
from guards.processes import process_start
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.dashboard.results.place import place_of
from hyperspace.dashboard.settings import Settings
from hyperspace.kernel.files import write_atomically
from hyperspace.options.values import DEFAULT_CACHE, cache_folder

MOST_LOOKED_AT: Final = 100
ANSWER_S: Final = 0.5
_MOST_BYTES: Final = 16_384


class LiveDashboard(msgspec.Struct, frozen=True):
    """A dashboard that runs on this machine, or did.

    Attributes:
        url: Its address, with a slash at the end and without a token.
        host: Address that it listens on.
        port: Port that it listens on.
        pid: Its process.
        started: When that started, in clock ticks since boot.
        results: The folder that it shows.
    """

    url: str
    host: str
    port: int
    pid: int
    started: str
    results: str

    def page_of(self, run: Path) -> str | None:
        """Return the address of a run's page; None if it shows another folder."""
        folder, results = run.resolve(), Path(self.results)
        if not folder.is_relative_to(results):
            return None
        return f"{self.url}runs/{place_of(folder, results).id}"

    def is_live(self) -> bool:
        """Return whether its process is there and something listens."""
        if not self.started or process_start(self.pid) != self.started:
            return False
        try:
            with socket.create_connection((self.host, self.port), ANSWER_S):
                return True
        except OSError:
            return False


@contextmanager
def present(settings: Settings) -> Generator[None]:
    """Say that a dashboard runs while the context lasts; where that cannot be said, it is not.

    Args:
        settings: With its port; the folder of results has no links in its path.
    """
    pid = os.getpid()
    told = LiveDashboard(
        settings.url, settings.host, settings.port, pid, process_start(pid), str(settings.results)
    )
    file = pidfile_folder() / f"{pid}_{secrets.token_hex(4)}.json"
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if _is_private(file.parent):
            write_atomically(file, msgspec.json.encode(told))
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink()


def live_dashboards() -> Iterator[LiveDashboard]:
    """Return the dashboards of this person that run; what is left of others is removed."""
    folder = pidfile_folder()
    if not _is_private(folder):
        return
    with suppress(OSError):
        for file in islice(folder.glob("*.json"), MOST_LOOKED_AT):
            told = _read(file)
            if told is not None and told.is_live():
                yield told
            else:
                file.unlink()


def pidfile_folder() -> Path:
    """Return where dashboards say that they run."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    base = Path(runtime) / "hyperspace" if runtime else cache_folder(DEFAULT_CACHE)
    return (base or Path()) / "dashboards"


def _read(file: Path) -> LiveDashboard | None:
    try:
        return decode_json(read_whole(file, _MOST_BYTES), LiveDashboard)
    except (Unreadable, msgspec.MsgspecError):
        return None


def _is_private(folder: Path) -> bool:
    """Return whether nobody else could have put a file into a folder."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return status.st_uid == os.getuid() and status.st_mode & 0o170077 == 0o040000
