"""Reading a workspace that hostile code may have filled, through one directory descriptor.

Nothing is followed, nothing is opened that is not a regular file of allowed size, and every
number has a bound. Names come back as text in which bytes that are not UTF-8 are escaped.
"""

import os
import stat
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice, takewhile
from typing import Literal

import msgspec

from guards.defences import ALL_IN_FORCE, Defence, Without

Form = Literal["file", "folder", "link", "special", "oversized", "unreadable"]


class IngestLimits(msgspec.Struct, frozen=True):
    """Bounds on what is taken from one workspace.

    Attributes:
        file_bytes: Largest new or changed file that is read.
        total_bytes: All new and changed content together.
        entries: Files and folders looked at; folders beyond are not opened.
        depth: Folders below each other.
        diff_lines: Longest text, in lines, for which a diff is made.
        diff_characters: Longest diff that is kept.
        grouped: More reverted paths of one kind than this below one folder are told as one.
    """

    file_bytes: int = 1024**2
    total_bytes: int = 16 * 1024**2
    entries: int = 5_000
    depth: int = 16
    diff_lines: int = 1_000
    diff_characters: int = 20_000
    grouped: int = 8


class WorkspaceEntry(msgspec.Struct, frozen=True):
    """One path of a workspace.

    Attributes:
        form: `file` is a regular file with one name; `link` a symbolic or hard link; `special` a
            FIFO, socket or device; `oversized` a file too large or a folder too full or too deep
            to be read.
        content: Bytes of a file; None for every other form.
        mode: Permission bits.
    """

    form: Form
    content: bytes | None = None
    mode: int = 0


def walk(
    folder: int,
    expected: Mapping[str, bytes],
    limits: IngestLimits,
    without: Without = ALL_IN_FORCE,
) -> dict[str, WorkspaceEntry]:
    """Read a workspace, shallow folders first and in the order of names.

    Args:
        folder: Descriptor of the workspace; it stays open.
        expected: What was materialized; such a file may be as large as it was.
        limits: Bounds.
        without: Defences that a test has taken away.
    """
    entries: dict[str, WorkspaceEntry] = {}
    walker = _Walker(expected, limits, without)
    waiting = deque([""])
    with FolderChain(folder, walker.no_follow) as chain:
        while waiting:
            path = waiting.popleft()
            listing = walker.list_folder(chain, path, len(entries))
            if listing is None:
                entries[path] = WorkspaceEntry("oversized")
                continue
            entries.update(listing)
            waiting.extend(name for name, entry in listing.items() if entry.form == "folder")
    return entries


def read_nofollow(workspace_fd: int, path: str, most_bytes: int) -> bytes | None:
    """Read a regular file of a live workspace; None if there is none, or it is too large.

    Args:
        workspace_fd: Descriptor of the workspace; stays open.
        path: Relative path; `..` and links are not followed.
        most_bytes: Largest size that is read.
    """
    if any(part in ("", ".", "..") for part in path.split("/")):
        return None
    above, _, name = path.rpartition("/")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with (
            # A path alone: whoever watches accesses is not told of folders that we pass through.
            opened_folder(workspace_fd, above, os.O_NOFOLLOW | os.O_PATH) as folder,
            os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file,
        ):
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            content = file.read(most_bytes + 1) if is_regular else None
    except OSError:
        return None
    return content if content is not None and len(content) <= most_bytes else None


def read_entry(folder: int, path: str, most_bytes: int) -> WorkspaceEntry | None:
    """Look at one path of a workspace, as `walk` does; None where there is nothing.

    Args:
        folder: Descriptor of the workspace; it stays open.
        path: Plain relative path; links on the way are not followed.
        most_bytes: Largest size of a file that is read.
    """
    above, _, name = path.rpartition("/")
    walker = _Walker({}, IngestLimits(file_bytes=most_bytes, total_bytes=most_bytes), ALL_IN_FORCE)
    try:
        with opened_folder(folder, above) as opened:
            os.stat(name, dir_fd=opened, follow_symlinks=False)
            return walker.look(opened, path, name)
    except FileNotFoundError:
        return None
    except OSError:  # a folder on the way is none, or closed to us
        return WorkspaceEntry("unreadable")


class _Walker:
    def __init__(
        self, expected: Mapping[str, bytes], limits: IngestLimits, without: Without
    ) -> None:
        self._expected = expected
        self._limits = limits
        self._follows_links = Defence.LINKS in without
        self.no_follow = 0 if self._follows_links else os.O_NOFOLLOW
        self._takes_special = Defence.SPECIAL_FILES in without
        self._room = limits.total_bytes

    def list_folder(
        self, chain: "FolderChain", path: str, seen: int
    ) -> dict[str, WorkspaceEntry] | None:
        """Entries of one folder by path; None when it breaks a bound."""
        if path.count("/") >= self._limits.depth:
            return None
        try:
            folder = chain.open(path)
            room = max(self._limits.entries - seen, 0)
            with os.scandir(folder) as listing:
                names = sorted(entry.name for entry in islice(listing, room + 1))
            if len(names) > room:
                return None
            prefix = f"{path}/" if path else ""
            return {prefix + name: self.look(folder, prefix + name, name) for name in names}
        except OSError:  # its owner took away the permission to read it
            return {path: WorkspaceEntry("unreadable")}

    def look(self, folder: int, path: str, name: str) -> WorkspaceEntry:
        """Look at one name of a folder."""
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=self._follows_links)
            if stat.S_ISDIR(status.st_mode):
                return WorkspaceEntry("folder", mode=stat.S_IMODE(status.st_mode))
            is_link = stat.S_ISLNK(status.st_mode) or status.st_nlink > 1
            if is_link and not self._follows_links:
                return WorkspaceEntry("link")
            if not stat.S_ISREG(status.st_mode):
                return (
                    WorkspaceEntry("file", b"")
                    if self._takes_special
                    else WorkspaceEntry("special")
                )
            return self._read(folder, path, name)
        except OSError:
            return WorkspaceEntry("unreadable")

    def _read(self, folder: int, path: str, name: str) -> WorkspaceEntry:
        # Not blocking: what was a file when we looked may be a FIFO in a folder that still lives.
        flags = os.O_RDONLY | self.no_follow | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(name, flags, dir_fd=folder)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return WorkspaceEntry("special")
            room = min(self._limits.file_bytes, self._room)
            if status.st_size > max(room, len(self._expected.get(path, b""))):
                return WorkspaceEntry("oversized", mode=stat.S_IMODE(status.st_mode))
            content = part = os.read(handle, status.st_size)
            while part and len(content) < status.st_size:
                content += (part := os.read(handle, status.st_size - len(content)))
        finally:
            os.close(handle)
        if content != self._expected.get(path):
            self._room -= len(content)
        return WorkspaceEntry("file", content, stat.S_IMODE(status.st_mode))


class FolderChain(AbstractContextManager["FolderChain"]):
    """Opens folders below another one, one after another, name by name.

    The folders on the way to the last one stay open: most have their parent in common with it.
    """

    def __init__(self, root: int, flags: int = os.O_NOFOLLOW, *, make: int | None = None) -> None:
        """Begin at a folder.

        Args:
            root: Its descriptor; stays open.
            flags: Besides those of every folder: `O_NOFOLLOW`, `O_PATH`.
            make: Permissions of folders that are made where there are none; None makes none.
        """
        self._root = root
        self._flags = flags | os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        self._make = make
        self._names: list[str] = []
        self._opened: list[int] = []

    def __exit__(self, *_error: object) -> None:
        self._close(0)

    def open(self, path: str) -> int:
        """Return a descriptor of a folder, which is open until the next one is asked for.

        Args:
            path: Relative path; empty for the folder itself.

        Raises:
            OSError: A name on the way is no folder that may be opened.
        """
        names = [".", *filter(None, path.split("/"))]
        pairs = zip(self._names, names, strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        self._close(common)
        # Name by name: a path as a whole could pass through a link.
        for name in names[common:]:
            above = self._opened[-1] if self._opened else self._root
            if self._make is not None:
                with suppress(FileExistsError):
                    os.mkdir(name, self._make, dir_fd=above)
            self._opened.append(os.open(name, self._flags, dir_fd=above))
            self._names.append(name)
        return self._opened[-1]

    def _close(self, kept: int) -> None:
        while len(self._opened) > kept:
            os.close(self._opened.pop())
            self._names.pop()


@contextmanager
def opened_folder(
    root: int, path: str, flags: int = os.O_NOFOLLOW, *, make: int | None = None
) -> Generator[int]:
    """Open one folder below another one, as `FolderChain` does."""
    with FolderChain(root, flags, make=make) as chain:
        yield chain.open(path)
