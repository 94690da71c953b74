"""Step 3, from outside: file changes are seen while the meta agent makes them.

watchfiles says when to look; what is recorded is what is read then. Every file state that
outlived the debounce becomes a line of edits.jsonl. Which tool call made it is inferred from the
last reply before it, and marked so.
"""

import os
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import anyio.from_thread
import msgspec

from agents.wall_clock import utc_now
from evolution.files import append_line, sha256_hex
from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.scope.changes import WorkspaceChange, folders_of
from guards.scope.walk import read_nofollow

_STEP_MS = 10
_DEBOUNCE_MS = 50
_MAX_BYTES = 1024 * 1024
_MOST_STARTS = 100
_MOST_EDITS = 20_000  # lines; what code inside does must not fill our disk

Read = Callable[[int, str, int], bytes | None]
Batch = set[tuple[Any, str]]


class ObservedEdit(msgspec.Struct, frozen=True):
    """One state of one file, as observed.

    Attributes:
        seen_utc: When it was seen.
        path: Workspace path.
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


class _Stop:
    """The stop event of watchfiles, which looks at each step whether to go on.

    Attributes:
        asked: Set when it has asked once: by then it sees every change.
    """

    def __init__(self) -> None:
        self.asked = anyio.Event()
        self._is_set = False

    def set(self) -> None:
        """Let it end at its next step."""
        self._is_set = True

    def is_set(self) -> bool:
        """Return whether to stop; called in the thread of watchfiles."""
        if not self.asked.is_set():
            anyio.from_thread.run_sync(self.asked.set)
        return self._is_set


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
    root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    try:
        async with anyio.create_task_group() as tasks:
            stop = _Stop()
            follow = Defence.WATCH_LINKS in without
            folders = [str(workspace), *(f"{workspace}/{name}" for name in folders_of(files))]

            async def record() -> None:
                seen: dict[str, str | None] = {}
                lines = 0
                async for batch in _batches(folders, stop, tell, follow=follow):
                    paths = sorted({path.removeprefix(f"{folders[0]}/") for _, path in batch})
                    for path in paths[: _MOST_EDITS - lines]:
                        lines += _record(log, path, read(root, path, _MAX_BYTES), seen)
                stop.asked.set()

            tasks.start_soon(record)
            try:
                await stop.asked.wait()
                yield
            finally:
                stop.set()
    finally:
        os.close(root)


def write_final_edits(log: EditLog, changes: Iterable[WorkspaceChange]) -> None:
    """Record the state of each changed file as ingest found it."""
    for change in changes:
        log.append(change.path, change.sha256_after, None, final=True)


async def _batches(
    folders: Sequence[str], stop: _Stop, tell: Callable[[str], None], *, follow: bool
) -> AsyncGenerator[Batch]:
    """Yield what has changed, until it is stopped or the kernel refuses to watch."""
    from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]  stop_event

    stop_event: Any = stop  # all that is asked of it is `set` and `is_set`
    for _ in range(_MOST_STARTS):
        try:
            async for batch in awatch(
                *folders,
                recursive=follow,
                watch_filter=None,
                step=_STEP_MS,
                debounce=_DEBOUNCE_MS,
                stop_event=stop_event,
            ):
                yield batch
        except FileNotFoundError:  # the sandbox has ended
            return
        except (OSError, RuntimeError) as error:  # no watches left, no descriptors left
            why = str(error).partition(" about [")[0]
            tell(f"edits are not seen while they are made: {why}")
            return
        except ExceptionGroup as group:
            # It gives up at a name that is not UTF-8, which any code can make.
            if group.split(RuntimeError)[1] is not None:
                raise
        else:
            return
    tell("edits are no longer seen while they are made: too many names are not UTF-8")


def _record(log: EditLog, path: str, data: bytes | None, seen: dict[str, str | None]) -> bool:
    digest = None if data is None else sha256_hex(data)
    if path in seen and seen[path] == digest:
        return False
    seen[path] = digest
    log.append(path, digest, None if data is None else len(data), final=False)
    return True
