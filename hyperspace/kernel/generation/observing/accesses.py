"""accesses.jsonl: what code read, listed and wrote while a meta agent worked, step by step.

A *step* is the number of replies that the model had given to the modification. The kernel tells
who read and wrote what, and the host looks at what was written when a step ends, before the next
reply is handed in: so which reply a line of code followed is known, and no guess.
"""

import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

import anyio
import msgspec

from guards.parsing import decode_json
from guards.sandboxes.control import beside
from guards.sandboxes.sandbox import Running
from guards.scope.changes import parents, printable
from guards.scope.regular_files import Unreadable, read_whole
from guards.scope.walk import read_nofollow
from guards.scope.watched_tree import AccessKind, FileAccess, WatchedTree
from hyperspace.kernel.files import append_bytes
from hyperspace.kernel.state.folder import ACCESSES
from hyperspace.kernel.state.steering.workspace import FOLDER as PRINCIPAL
from hyperspace.workspace.workspace import EVALS, STRATEGIES

_MOST_RECORDS: Final = 20_000
_MOST_BYTES: Final = 8 * 1024**2
_MOST_LINE_BYTES: Final = 1024**2
_SCRATCH: Final = "/tmp"  # noqa: S108 -- inside, not ours
_SHOWN: Final = (EVALS, STRATEGIES, PRINCIPAL)
_NOT_OWN: Final = (*_SHOWN, "agent")
_TOGETHER_S: Final = 0.02
_LARGEST_BYTES: Final = 256 * 1000
_MOST_READ_BYTES: Final = 64 * 1024**2
_FOLDER_FLAGS: Final = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC


class ObservedAccess(msgspec.Struct, frozen=True):
    """What was done to one path in one step.

    Attributes:
        step: Replies that had been given to the modification before.
        path: Workspace path, or `/tmp/...` in the sandbox's private folder for temporary files;
            what a terminal or UTF-8 cannot carry is escaped.
        kind: `read`: opened to be read; `listed`: names of a folder; `written`: made, changed, or
            moved there, of the agent's own files and temporary ones alone.
        count: Events of the kernel, which tells equal ones that follow each other as one.
        first: Number of the first of them among all events of the generation.
        last: Number of the last.
        lines: Of what was written: stripped lines, without empty ones and doubles, that the file
            has at the end of the step and had not at the end of the one before.
    """

    step: int
    path: str
    kind: Literal["read", "listed", "written"]
    count: int
    first: int
    last: int
    lines: tuple[str, ...] = ()


class Unobserved(msgspec.Struct, frozen=True):
    """A line that says why accesses may be missing from the file."""

    unobserved: str


class Accesses(NamedTuple):
    """What a file holds.

    Attributes:
        records: In the order of their steps; within a step by first event.
        unobserved: Why some may be missing; empty if every access was seen.
    """

    records: tuple[ObservedAccess, ...]
    unobserved: str


class AccessLog:
    """The file of one candidate; both tries of its modification go into it.

    Attributes:
        step: Replies given up to now.
        events: Number of the kernel's last event, over all tries.
    """

    def __init__(self, folder: Path) -> None:
        """Begin; nothing is written yet.

        Args:
            folder: Where the file goes.
        """
        self.step = 0
        self.events = 0
        self._path = folder / ACCESSES
        self._records = 0
        self._bytes = 0
        self._line_bytes = 0
        self._unobserved = ""

    def append(self, records: Sequence[ObservedAccess]) -> None:
        """Add the records of the step, as far as there is room."""
        lines: list[bytes] = []
        for record in records:
            kept = self._with_room_for_lines(record)
            line = msgspec.json.encode(kept) + b"\n"
            if self._records >= _MOST_RECORDS or self._bytes + len(line) > _MOST_BYTES:
                self.miss(f"there were more than {_MOST_RECORDS} records or {_MOST_BYTES} bytes")
                break
            self._records += 1
            self._bytes += len(line)
            lines.append(line)
        # Also without records: that the file is there says that somebody watched.
        append_bytes(self._path, b"".join(lines))

    def miss(self, why: str) -> None:
        """Say in the file why accesses may be missing; the first reason is enough."""
        if why and not self._unobserved:
            self._unobserved = why
            append_bytes(self._path, msgspec.json.encode(Unobserved(why)) + b"\n")

    def _with_room_for_lines(self, record: ObservedAccess) -> ObservedAccess:
        self._line_bytes += sum(len(line.encode()) for line in record.lines)
        if self._line_bytes <= _MOST_LINE_BYTES:
            return record
        self.miss(f"more than {_MOST_LINE_BYTES} bytes of lines were written")
        return msgspec.structs.replace(record, lines=())


class AccessWatch:
    """Observes one try at a modification; end it with `close`."""

    def __init__(
        self,
        running: Running,
        files: Mapping[str, bytes],
        log: AccessLog,
        tell: Callable[[str], None],
    ) -> None:
        """Prepare.

        Args:
            running: The sandbox, in which no code of the workspace has run yet.
            files: What was materialized there.
            log: Takes the records.
            tell: Told, in a line for people, that the kernel refuses.
        """
        self._workspace = running.workspace
        self._log = log
        self._tell = tell
        self._tree: WatchedTree | None = None
        self._roots: dict[str, int] = {}
        self._files = tuple(files)
        self._contents = {path: data for path, data in files.items() if _is_own(path)}
        self._accesses: dict[tuple[str, AccessKind], tuple[int, int, int]] = {}
        self._read_bytes = 0

    @asynccontextmanager
    async def observe(self) -> AsyncGenerator[None]:
        """Watch from here on; where the kernel refuses, that goes on record, and nothing else.

        While the context lasts, events are taken as they come; those after it when a step ends.
        """
        try:
            for name, path in _root_paths(self._workspace).items():
                self._roots[name] = os.open(path, _FOLDER_FLAGS)
            self._tree = WatchedTree(self._roots, self._files, _SHOWN, self._log.events)
        except OSError as error:
            why = error.strerror or str(error)
            self._log.miss(why)
            self._tell(f"what agents read and write is not observed: {why}")
        async with beside(self._follow):
            yield

    def read(self, root: int, path: str, most_bytes: int) -> bytes | None:
        """Read a file of the workspace for the host, which then is no access; see `read_nofollow`.

        Args:
            root: Descriptor of the workspace.
            path: Workspace path.
            most_bytes: Largest size that is read.
        """
        if self._tree is None:
            return read_nofollow(root, path, most_bytes)
        accesses, data = self._tree.read(path, most_bytes)
        self._add(accesses)
        return data

    def begin_step(self) -> None:
        """Write down the step that ends because a reply is about to be handed in."""
        self.end_step()
        self._log.step += 1

    def end_step(self) -> None:
        """Write down what was done since the step began; its files are as they are now."""
        if self._tree is None:
            return
        self._add(self._tree.take())
        lines = {path: self._new_lines(path) for path in self._paths("written")}
        self._forget(self._paths("gone") - lines.keys())
        accesses, self._accesses = self._accesses, {}
        records = [
            ObservedAccess(
                self._log.step,
                printable(path),
                kind,
                *numbers,
                lines.get(path, ()) if kind == "written" else (),
            )
            for (path, kind), numbers in accesses.items()
            if kind != "gone"
        ]
        self._log.append(sorted(records, key=lambda record: record.first))
        self._log.events = self._tree.events
        self._log.miss(self._tree.unobserved)

    def close(self) -> None:
        """Stop watching; safe to call twice."""
        if self._tree is not None:
            tree, self._tree = self._tree, None
            tree.close()
        while self._roots:
            os.close(self._roots.popitem()[1])

    def _add(self, accesses: Iterable[FileAccess]) -> None:
        for path, kind, ordinal in accesses:
            if kind in ("written", "gone") and not _is_own(path):
                continue
            count, first, _ = self._accesses.get((path, kind), (0, ordinal, 0))
            self._accesses[path, kind] = count + 1, first, ordinal

    async def _follow(self) -> None:
        while (tree := self._tree) is not None and not tree.is_spent:
            await anyio.wait_readable(tree)
            self._add(tree.take())
            await anyio.sleep(_TOGETHER_S)

    def _paths(self, kind: AccessKind) -> set[str]:
        return {path for path, each in self._accesses if each == kind}

    def _new_lines(self, path: str) -> tuple[str, ...]:
        """Lines that a file has now and had not when it was looked at last."""
        before = self._contents.pop(path, b"")
        if self._read_bytes > _MOST_READ_BYTES:
            return ()
        data = self.read(self._roots[""], path, _LARGEST_BYTES)
        if data is None:
            return ()
        self._read_bytes += len(data)
        if self._read_bytes > _MOST_READ_BYTES:
            self._log.miss(f"more than {_MOST_READ_BYTES} bytes of files were written")
        self._contents[path] = data
        known = set(_lines(before))
        return tuple(line for line in dict.fromkeys(_lines(data)) if line not in known)

    def _forget(self, gone: set[str]) -> None:
        """Drop what is known of files that are gone, or whose folder is."""
        if gone:
            for path in [*self._contents]:
                if not gone.isdisjoint((path, *parents(path))):
                    del self._contents[path]


def read_accesses(folder: Path) -> Accesses | None:
    """Read the file of a candidate; None if there is none. A damaged line is one that is missing.

    Args:
        folder: The generation's folder; after a tournament, the candidate's in it.
    """
    try:
        content = read_whole(folder / ACCESSES)
    except Unreadable as reason:
        return None if reason.is_missing else Accesses((), f"{ACCESSES} {reason}")
    records: list[ObservedAccess] = []
    unobserved = ""
    for line in filter(None, content.split(b"\n")):
        try:
            if line.startswith(b'{"unobserved"'):
                unobserved = unobserved or decode_json(line, Unobserved).unobserved
            else:
                records.append(decode_json(line, ObservedAccess))
        except msgspec.DecodeError:
            unobserved = unobserved or f"a line of {ACCESSES} is damaged"
    return Accesses(tuple(records), unobserved)


def _root_paths(workspace: Path) -> dict[str, Path]:
    """The folders to watch: the workspace, and in a mount namespace of its own the private tmp."""
    is_private = workspace.parts[:2] == ("/", "proc") and workspace.parts[3:4] == ("root",)
    return {"": workspace, **({_SCRATCH: Path(*workspace.parts[:4], "tmp")} if is_private else {})}


def _is_own(path: str) -> bool:
    return path.partition("/")[0] not in _NOT_OWN


def _lines(data: bytes) -> list[str]:
    """Stripped lines of a text, without empty ones; of anything else there are none."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return []
    return [line for line in map(str.strip, text.splitlines()) if line]
