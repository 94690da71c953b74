"""Who opened, read and wrote what in a workspace of untrusted code, as the kernel tells it.

Folders are watched, and one by one the files of those folders whose files matter under every name
(`shown`): a link to such a file, or its new name, is still that file. To open one is to read it,
whatever it was opened for, because what is mapped or spliced is told in no other way; `O_PATH`
opens nothing. Any other file is read when bytes were read from it, or when it is closed after it
was opened for reading alone.

What is made during the run is watched as soon as it is seen. What was done to a new folder's files
before that is not known, but that they are there. No link is followed.
"""

import errno
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from typing import Final, Literal, NamedTuple

from guards.scope import inotify
from guards.scope.changes import folders_of
from guards.scope.inotify import InotifyEvent
from guards.scope.walk import FolderChain, opened_folder, read_nofollow
from guards.scope.watches import open_watches

_MOST_EVENTS: Final = 1_000_000
_MOST_NEW_FOLDERS: Final = 256  # watched at one time
_DEEPEST: Final = 16

_OPENED: Final = inotify.OPEN | inotify.ACCESS
_READ: Final = inotify.ACCESS | inotify.CLOSE_NOWRITE
_OF_A_READER: Final = (inotify.OPEN, inotify.ACCESS, inotify.CLOSE_NOWRITE)
_MADE: Final = inotify.CREATE | inotify.MOVED_TO
_WRITTEN: Final = _MADE | inotify.MODIFY | inotify.CLOSE_WRITE
_GONE: Final = inotify.DELETE | inotify.MOVED_FROM
# Without ACCESS, which is told of the file itself: twice in turn, it would not be told as one.
_SHOWN_FOLDER: Final = inotify.OPEN | _MADE
_FOLDER: Final = _READ | _WRITTEN | _GONE
_FILE: Final = _OPENED | inotify.MOVE_SELF
_NOT_THERE: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

AccessKind = Literal["read", "listed", "written", "gone"]


class FileAccess(NamedTuple):
    """One thing done to a file or folder.

    Attributes:
        path: As in `WatchedTree`; `.` is the workspace itself.
        kind: `listed` is of folders alone; `gone` was deleted or got another name.
        ordinal: Number of the kernel's event among all.
    """

    path: str
    kind: AccessKind
    ordinal: int


class _Watched(NamedTuple):
    """What a watch is on; what `stays` keeps its path, wherever it is moved."""

    path: str
    is_folder: bool
    is_shown: bool
    stays: bool


class WatchedTree:
    """A workspace, and a private folder for temporary files beside it, watched from outside.

    Paths are those of the workspace, and `/tmp/...` in the folder for temporary files.

    Attributes:
        events: Number of the last event.
        unobserved: Why accesses may be missing, the first reason; empty if there is none.
    """

    def __init__(
        self,
        roots: Mapping[str, int],
        files: Iterable[str],
        shown: Collection[str],
        first_event: int = 0,
    ) -> None:
        """Watch what is there.

        Args:
            roots: Open folders by path: the workspace by the empty one; they stay open.
            files: What was materialized in the workspace.
            shown: Top folders whose files matter under every name.
            first_event: Number to go on from.

        Raises:
            OSError: The kernel refuses; says why.
        """
        self.events = first_event
        self.unobserved = ""
        self._roots = roots
        self._shown = frozenset(shown)
        self._files = {path for path in files if self._is_shown(path)}
        self._watched: dict[int, _Watched] = {}
        self._numbers: dict[str, int] = {}
        self._ours: Counter[tuple[int, str, int]] = Counter()
        self._watches = open_watches()
        try:
            self._watch_all(sorted({*roots, *folders_of(files)}))
        except BaseException:  # whatever it is, no descriptor is left behind
            self.close()
            raise
        self._at_start = len(self._watched)

    def fileno(self) -> int:
        """A descriptor that is readable when there is something to take."""
        return self._watches.fileno()

    def take(self) -> list[FileAccess]:
        """Return what was done since the last time, in the kernel's order."""
        accesses: list[FileAccess] = []
        for event in self._watches.read():
            self.events += 1
            if self.events > _MOST_EVENTS:
                self._miss(f"there were more than {_MOST_EVENTS} events")
                break
            self._note(event, accesses.append)
        return accesses

    @property
    def is_spent(self) -> bool:
        """True when there were more events than are looked at; then no more is told."""
        return self.events > _MOST_EVENTS

    def read(self, path: str, most_bytes: int) -> tuple[list[FileAccess], bytes | None]:
        """Read a file as `read_nofollow` does, and return what was done before by anybody else.

        Our own reading is taken off event by event.
        """
        accesses = self.take()
        root, below = self._located(path)
        number, name = self._numbers.get(path, -1), ""
        if number < 0:
            above, _, name = path.rpartition("/")
            number = self._numbers.get(above, -1)
        ours = [(number, name, bit) for bit in _OF_A_READER]
        self._ours.update(ours)
        data = read_nofollow(root, below, most_bytes)
        accesses += self.take()
        for event in ours:
            del self._ours[event]
        return accesses, data

    def close(self) -> None:
        """End every watch; safe to call twice."""
        self._watches.close()

    def _watch_all(self, folders: Iterable[str]) -> None:
        files: dict[str, list[str]] = {}
        for path in self._files:
            files.setdefault(path.rpartition("/")[0], []).append(path)
        with ExitStack() as held:
            chains = {
                root: held.enter_context(FolderChain(root, os.O_NOFOLLOW | os.O_PATH))
                for root in self._roots.values()
            }
            for folder in folders:
                root, below = self._located(folder)
                descriptor = chains[root].open(below)
                self._watch(
                    descriptor, folder, stays=folder in self._roots or self._is_shown(folder)
                )
                for path in files.get(folder, ()):
                    self._watch_file(descriptor, path)

    def _watch_file(self, folder: int, path: str) -> None:
        number = self._watches.watch(folder, _FILE, path.rpartition("/")[2])
        self._remember(number, _Watched(path, is_folder=False, is_shown=True, stays=True))

    def _watch(self, descriptor: int, path: str, *, stays: bool = False) -> bool:
        """Watch an open folder; return whether it is a new one, or one that has got this path."""
        is_shown = self._is_shown(path)
        number = self._watches.watch(descriptor, _SHOWN_FOLDER if is_shown else _FOLDER)
        before = self._watched.get(number)
        if before is not None and before.stays:
            if before.is_shown != is_shown:
                self._watches.watch(descriptor, _SHOWN_FOLDER if before.is_shown else _FOLDER)
            return False
        self._remember(number, _Watched(path, True, is_shown, stays))
        return True

    def _remember(self, number: int, watched: _Watched) -> None:
        self._watched[number] = watched
        self._numbers[watched.path] = number

    def _note(self, event: InotifyEvent, tell: Callable[[FileAccess], None]) -> None:
        watched = self._watched.get(event.watch)
        if watched is None:
            if event.mask & inotify.OVERFLOW:
                self._miss("the kernel's queue of events was full")
        elif event.mask & inotify.IGNORED:
            del self._watched[event.watch]
            if self._numbers.get(watched.path) == event.watch:
                del self._numbers[watched.path]
        elif self._is_ours(event):
            pass
        elif not watched.is_folder:
            tell(FileAccess(watched.path, "read", self.events))
        elif event.mask & inotify.IS_FOLDER:
            if event.name and event.mask & _MADE:
                self._enter(_join(watched.path, event.name), tell)
            elif event.name and event.mask & _GONE:
                tell(FileAccess(_join(watched.path, event.name), "gone", self.events))
            elif not event.name and event.mask & _OPENED:
                tell(FileAccess(watched.path or ".", "listed", self.events))
        else:
            self._note_entry(event, watched, tell)

    def _note_entry(
        self, event: InotifyEvent, watched: _Watched, tell: Callable[[FileAccess], None]
    ) -> None:
        """Note what was done to a file of a watched folder."""
        path = _join(watched.path, event.name)
        if watched.is_shown:
            if event.mask & inotify.OPEN and path not in self._files:
                tell(FileAccess(path, "read", self.events))
        elif event.mask & _READ:
            tell(FileAccess(path, "read", self.events))
        elif event.mask & _WRITTEN:
            tell(FileAccess(path, "written", self.events))
        elif event.mask & _GONE:
            tell(FileAccess(path, "gone", self.events))

    def _is_ours(self, event: InotifyEvent) -> bool:
        key = event.watch, event.name, event.mask & inotify.KINDS
        if self._ours[key] <= 0:
            return False
        self._ours[key] -= 1
        return True

    def _enter(self, top: str, tell: Callable[[FileAccess], None]) -> None:
        """Watch a folder that was made or moved here, and those below; its files are new here."""
        waiting = [top]
        while waiting and not self.is_spent:
            folder = waiting.pop()
            if len(self._watched) - self._at_start >= _MOST_NEW_FOLDERS:
                self._miss(f"there were more than {_MOST_NEW_FOLDERS} new folders at one time")
                return
            if folder.count("/") >= _DEEPEST:
                self._miss(f"there were folders more than {_DEEPEST} deep")
                continue
            try:
                waiting += self._entered(folder, tell)
            except OSError as error:
                if error.errno not in _NOT_THERE:  # then it has gone, or is a link
                    self._miss(f"a new folder could not be watched: {error.strerror}")

    def _entered(self, folder: str, tell: Callable[[FileAccess], None]) -> list[str]:
        """Watch one such folder, and return the folders in it."""
        root, below = self._located(folder)
        with opened_folder(root, below, os.O_NOFOLLOW | os.O_PATH) as descriptor:
            if not self._watch(descriptor, folder):
                return []
            folders: list[str] = []
            listing = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=descriptor)
            try:
                # ACCESS comes once for each part of the list, and the last one is empty.
                number = self._numbers[folder]
                mask = inotify.OPEN if self._is_shown(folder) else inotify.ACCESS
                self._ours[number, "", mask] += 1
                with os.scandir(listing) as entries:
                    for entry in entries:
                        self.events += 1  # looking at them is bounded as events are
                        path = _join(folder, entry.name)
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(path)
                        elif not self._is_shown(path):
                            tell(FileAccess(path, "written", self.events))
            finally:
                os.close(listing)
        return folders

    def _is_shown(self, path: str) -> bool:
        return path.partition("/")[0] in self._shown

    def _located(self, path: str) -> tuple[int, str]:
        """The root that a path is below, and the path from there."""
        for name, root in self._roots.items():
            if name and (path == name or path.startswith(f"{name}/")):
                return root, path[len(name) + 1 :]
        return self._roots[""], path

    def _miss(self, why: str) -> None:
        self.unobserved = self.unobserved or why


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
