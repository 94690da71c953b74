"""Telling when files of a run change, so that whoever follows it need not look for nothing."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hyperspace.kernel.state.folder import RunFolder

LOOK_S: Final = 0.5  # between looks where nobody tells of changes
LAPSE_S: Final = 2.0  # between looks where somebody does: a lease lapses by itself
_STEP_MS: Final = 20  # changes that are no further apart are told as one
_TOGETHER_MS: Final = 100
_SHARE: Final = 9  # a follower rests this much longer than it looks


class RunChanges:
    """Watches the files in a run's folder; a context manager that ends the watch.

    The folder need not be there yet, and may be replaced. The kernel tells of changes, or, where
    it has no more watches to give, a thread that looks at the files. On a file system of a network
    nobody tells what another machine changes, so followers look every two seconds all the same.
    """

    def __init__(self, run: Path, tell: Callable[[], None]) -> None:
        """Watch from now on.

        Args:
            run: The folder.
            tell: Called from another thread after files have changed; must not wait.
        """
        self._folder = RunFolder(run)
        self._tell = tell
        self._watch: _Watch | None = None

    def __enter__(self) -> Self:
        self._renew()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watch is not None:
            self._watch.end()

    def patience_s(self) -> float:
        """Return after how many seconds to look again where nothing was told until then."""
        self._renew()
        is_told = self._watch is not None and self._watch.thread.is_alive()
        # A space on a server changes no file here.
        return LAPSE_S if is_told and self._folder.space.exists() else LOOK_S

    def rest(self, looked_s: float) -> None:
        """Wait a little, so that a run which changes all the time is not looked at all the time.

        Args:
            looked_s: How long the last look took.
        """
        time.sleep(min(_SHARE * looked_s, LOOK_S))

    def _renew(self) -> None:
        """Watch the folder that is there now, if it is not the one that is watched."""
        identity = _identity(self._folder.root)
        if self._watch is not None and self._watch.identity == identity:
            return
        if self._watch is not None:
            self._watch.end()
        self._watch = None if identity is None else _Watch(self._folder.root, identity, self._tell)


class _Watch:
    """One folder that is watched by a thread."""

    def __init__(self, folder: Path, identity: tuple[int, int], tell: Callable[[], None]) -> None:
        self.identity = identity
        self._ended = threading.Event()
        self.thread = threading.Thread(
            target=self._run, args=(folder, tell), name="run-changes", daemon=True
        )
        self.thread.start()

    def end(self) -> None:
        self._ended.set()
        self.thread.join()

    def _run(self, folder: Path, tell: Callable[[], None]) -> None:
        from watchfiles import watch

        changes = watch(
            folder,
            watch_filter=None,
            debounce=_TOGETHER_MS,
            step=_STEP_MS,
            stop_event=self._ended,
            rust_timeout=60_000,
            yield_on_timeout=True,  # also makes it look at `stop_event` where nothing changes
            recursive=False,
            ignore_permission_denied=True,
        )
        with suppress(OSError):  # the folder is gone, or may not be watched
            for some in changes:
                if some:
                    tell()


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
