"""Step 3, from outside: file changes are seen while the meta agent makes them.

watchfiles says when to look; what is recorded is what is read then. Every file state that
outlived the debounce becomes a line of edits.jsonl. Which tool call made it is inferred from the
last reply before it, and marked so.
"""

import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import msgspec

from agents.wall_clock import utc_now
from evolution.attempt import Attempt
from evolution.files import append_line, sha256_hex
from guards.ingest import Change
from guards.peek import peek

_STEP_MS = 10
_DEBOUNCE_MS = 50
_MAX_BYTES = 1024 * 1024


class Edit(msgspec.Struct, frozen=True):
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


@asynccontextmanager
async def watch_edits(workspace: Path, attempt: Attempt) -> AsyncGenerator[None]:
    """Record changes below a live workspace while the context lasts."""
    root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    try:
        async with anyio.create_task_group() as tasks:
            stop = anyio.Event()
            ready = anyio.Event()
            tasks.start_soon(_watch, workspace, root, attempt, stop, ready)
            await ready.wait()
            try:
                yield
            finally:
                stop.set()
    finally:
        os.close(root)


def write_final_edits(attempt: Attempt, changes: Iterable[Change]) -> None:
    """Record the state of each changed file as ingest found it."""
    for change in changes:
        _append(attempt, change.path, change.sha256_after, None, final=True)


async def _watch(
    workspace: Path, root: int, attempt: Attempt, stop: anyio.Event, ready: anyio.Event
) -> None:
    from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]  stop_event

    seen: dict[str, str | None] = {}
    changes = awatch(
        workspace,
        watch_filter=None,
        step=_STEP_MS,
        debounce=_DEBOUNCE_MS,
        stop_event=stop,
        rust_timeout=_DEBOUNCE_MS,
        yield_on_timeout=True,
    )
    with suppress(FileNotFoundError):
        async for batch in changes:
            ready.set()
            paths = sorted({str(Path(path).relative_to(workspace)) for _, path in batch})
            for path in paths:
                _record(attempt, root, path, seen)
    ready.set()


def _record(attempt: Attempt, root: int, path: str, seen: dict[str, str | None]) -> None:
    data = peek(root, path, _MAX_BYTES)
    digest = None if data is None else sha256_hex(data)
    if path in seen and seen[path] == digest:
        return
    seen[path] = digest
    _append(attempt, path, digest, None if data is None else len(data), final=False)


def _append(
    attempt: Attempt, path: str, digest: str | None, size: int | None, *, final: bool
) -> None:
    edit = Edit(
        seen_utc=utc_now(),
        path=path,
        sha256=digest,
        size_bytes=size,
        after_call=attempt.call_count,
        inferred=not final,
        final=final,
    )
    append_line(attempt.folder / "edits.jsonl", edit)
