"""Step 3, from outside: file changes are seen while the meta agent makes them.

The kernel says when to look; what is recorded is what is read then. Every file state that
outlived the debounce becomes a line of edits.jsonl. Which tool call made it is inferred from the
last reply before it, and marked so.
"""

import os
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import anyio
import msgspec

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.control import beside
from guards.scope import inotify
from guards.scope.changes import WorkspaceChange, folders_of
from guards.scope.walk import FolderChain, opened_folder, read_nofollow
from guards.scope.watches import open_watches
from hyperspace.kernel.files import append_line, sha256_hex, written_name
from hyperspace.wall_clock import utc_now

_STEP_S: Final = 0.01
_DEBOUNCE_S: Final = 0.05
_MAX_BYTES: Final = 1024 * 1024
_MOST_EDITS: Final = 20_000  # lines; what code inside does must not fill our disk
_MOST_EVENTS: Final = 1_000_000
_CAME: Final = inotify.CREATE | inotify.MOVED_TO
_CHANGED: Final = _CAME | inotify.MODIFY | inotify.CLOSE_WRITE | inotify.DELETE | inotify.MOVED_FROM

Read = Callable[[int, str, int], bytes | None]


class ObservedEdit(msgspec.Struct, frozen=True):
    """One state of one file, as observed.

    Attributes:
        seen_utc: When it was seen.
        path: Workspace path; what UTF-8 cannot carry is escaped.
        sha256: Hash of its content; None when the file is gone or could not be read.
        size_bytes: Its size; None like the hash.
        after_call: Number of model replies recorded before it.
        inferred: True: that this reply caused it is a guess.
        final: True for the state that ingest judged.
    """

    seen_utc: str
    path: str
    sha256: str | None
    size_bytes: int | None
    after_call: int
    inferred: bool
    final: bool


class EditLog(NamedTuple):
    """Where the edits of one candidate are recorded.

    Attributes:
        folder: Where `edits.jsonl` goes.
        count_calls: Returns the number of model replies recorded so far.
    """

    folder: Path
    count_calls: Callable[[], int]

    def append(self, path: str, digest: str | None, size: int | None, *, final: bool) -> None:
        """Record the state of a file (see `ObservedEdit`)."""
        edit = ObservedEdit(
            seen_utc=utc_now(),
            path=path,
            sha256=digest,
            size_bytes=size,
            after_call=self.count_calls(),
            inferred=not final,
            final=final,
        )
        append_line(self.folder / "edits.jsonl", edit)


class _EditedFolders:
    """The folders of a workspace, and which of their files were changed.

    Args:
        root: Descriptor of the workspace; stays open.
        folders: Their workspace paths; the workspace itself is the empty one.
        follow: Whether folders that come later are watched too, links followed, which only a test
            of what that would mean asks for.

    Raises:
        OSError: The kernel refuses; says why.
    """

    def __init__(self, root: int, folders: Iterable[str], *, follow: bool) -> None:
        self._root = root
        self._follow = follow
        self._folders: dict[int, str] = {}
        self._events = 0
        self._watches = open_watches()
        try:
            with FolderChain(root, os.O_NOFOLLOW | os.O_PATH) as chain:
                for folder in folders:
                    self._watch(chain.open(folder), folder)
        except BaseException:  # whatever it is, no descriptor is left behind
            self._watches.close()
            raise

    async def changed(self) -> set[str]:
        """Wait for changes, and for those that follow at once; return the paths."""
        await anyio.wait_readable(self._watches)
        paths = more = self._take()
        end_s = time.monotonic() + _DEBOUNCE_S
        while more and time.monotonic() < end_s:
            await anyio.sleep(_STEP_S)
            paths |= (more := self._take())
        return paths

    @property
    def is_spent(self) -> bool:
        """True when there were more events than are looked at."""
        return self._events > _MOST_EVENTS

    def close(self) -> None:
        """Stop watching."""
        self._watches.close()

    def _take(self) -> set[str]:
        paths: set[str] = set()
        for event in self._watches.read():
            self._events += 1
            folder = self._folders.get(event.watch)
            if folder is None or not event.name:  # lost events, or a folder that has gone
                continue
            path = f"{folder}/{event.name}" if folder else event.name
            paths.add(path)
            if self._follow and event.mask & _CAME and event.mask & inotify.IS_FOLDER:
                self._enter(path)
        return paths

    def _enter(self, folder: str) -> None:
        above = f"/proc/self/fd/{self._root}"
        for path, _, _ in os.walk(f"{above}/{folder}", followlinks=True):
            below = path.removeprefix(f"{above}/")
            with opened_folder(self._root, below, os.O_PATH) as descriptor:
                self._watch(descriptor, below)

    def _watch(self, descriptor: int, folder: str) -> None:
        self._folders[self._watches.watch(descriptor, _CHANGED)] = folder


def _tell_nobody(_text: str) -> None:
    pass


@asynccontextmanager
async def watch_edits(
    workspace: Path,
    files: Iterable[str],
    log: EditLog,
    without: Without = ALL_IN_FORCE,
    *,
    read: Read = read_nofollow,
    tell: Callable[[str], None] = _tell_nobody,
) -> AsyncGenerator[None]:
    """Record changes in the folders of a live workspace while the context lasts.

    What is in a folder that is made later is for ingest to find: to watch below it would mean to
    follow the links that may have been moved there with it. Where the kernel refuses to watch,
    nothing is recorded but what ingest finds.

    Args:
        workspace: The workspace, in which no code has run yet.
        files: What was materialized there; the folders of these paths are watched.
        log: Where they are recorded.
        without: Defences that a test has taken away.
        read: Reads a file of the workspace, given its descriptor, as `read_nofollow` does.
        tell: Told, in a line for people, that the kernel refuses.
    """
    folders = ["", *sorted(folders_of(files))]
    async with AsyncExitStack() as held:
        root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
        held.callback(os.close, root)
        try:
            edited = _EditedFolders(root, folders, follow=Defence.WATCH_LINKS in without)
        except OSError as error:  # no watches left, no descriptors left
            tell(f"edits are not seen while they are made: {error.strerror or error}")
        else:
            held.callback(edited.close)
            await held.enter_async_context(beside(partial(_follow, edited, root, log, read)))
        yield


async def _follow(edited: _EditedFolders, root: int, log: EditLog, read: Read) -> None:
    seen: dict[str, str | None] = {}
    lines = 0
    while lines < _MOST_EDITS and not edited.is_spent:
        for path in sorted(await edited.changed())[: _MOST_EDITS - lines]:
            lines += _record(log, path, read(root, path, _MAX_BYTES), seen)


def write_final_edits(log: EditLog, changes: Iterable[WorkspaceChange]) -> None:
    """Record the state of each changed file as ingest found it."""
    for change in changes:
        log.append(change.path, change.sha256_after, None, final=True)


def _record(log: EditLog, path: str, data: bytes | None, seen: dict[str, str | None]) -> bool:
    digest = None if data is None else sha256_hex(data)
    if path in seen and seen[path] == digest:
        return False
    seen[path] = digest
    size = None if data is None else len(data)
    log.append(written_name(path), digest, size, final=False)
    return True
