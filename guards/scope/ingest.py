"""From a finished workspace to code: judge every path that differs from what was materialized.

What lies inside the edit scope and is harmless text is taken over. Everything else is put back and
told, with evidence; nothing is dropped in silence.
"""

from collections.abc import Iterator, Mapping

import msgspec

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.scope.changes import Kind, WorkspaceChange, describe_change, folders_of, group, parents
from guards.scope.edit_scope import EditScope, fold, is_plain
from guards.scope.walk import IngestLimits, WorkspaceEntry, walk

__all__ = ["Ingest", "IngestLimits", "WorkspaceChange", "ingest"]

FILE_MODE = 0o644
FOLDER_MODE = 0o755
PERMISSIONS = 0o777
# Below these nothing can be known, so nothing counts as deleted.
BLIND = ("oversized", "unreadable", "link", "special")
WHY: dict[Kind, str] = {
    "link": "links are not followed and not kept",
    "special": "neither a regular file nor a folder",
    "oversized": "too large, too full or too deep to be read",
    "unreadable": "it cannot be read",
    "encoding": "not UTF-8 text without NUL",
    "name": "not a plain relative path",
    "twin": "another spelling of a path that exists",
}


class Ingest(msgspec.Struct, frozen=True):
    """The code of a finished workspace, and every difference.

    Attributes:
        files: The code after ingest: all files inside the edit scope, by path.
        changes: Every difference, sorted by path.
    """

    files: dict[str, bytes]
    changes: tuple[WorkspaceChange, ...]


def ingest(
    workspace_fd: int,
    materialized: Mapping[str, bytes],
    scope: EditScope,
    limits: IngestLimits | None = None,
    without: Without = ALL_IN_FORCE,
) -> Ingest:
    """Compare a workspace with what was materialized and take over what is allowed.

    Every process that could write to it must have ended. The result depends on nothing but the
    arguments and the workspace's content.

    Args:
        workspace_fd: Descriptor of its folder, from `Running.finish`; stays open.
        materialized: Path to content, as it was put in.
        scope: What the agent may change.
        limits: Bounds; the defaults where None.
        without: Defences that a test has taken away.
    """
    limits = limits or IngestLimits()
    entries = walk(workspace_fd, materialized, limits, without)
    judge = _Judge(materialized, entries, scope, limits, without)
    touched = sorted(path for path in {*entries, *materialized} if not judge.is_untouched(path))
    changes = [change for path in touched for change in judge.judge(path)]
    kept = {path: judge.files[path] for path in sorted(judge.files)}
    return Ingest(kept, tuple(group(changes, judge.lasting_folders(), limits)))


class _Judge:
    def __init__(
        self,
        materialized: Mapping[str, bytes],
        entries: Mapping[str, WorkspaceEntry],
        scope: EditScope,
        limits: IngestLimits,
        without: Without,
    ) -> None:
        self._without = without
        self._before = materialized
        self._found = entries
        self._scope = scope
        self._limits = limits
        self._folders = folders_of(materialized)
        self._filled = folders_of(entries)
        self._file_names = set(map(fold, materialized))
        self._folder_names = set(map(fold, self._folders))
        self.files = {p: content for p, content in materialized.items() if scope.permits(p)}

    def lasting_folders(self) -> set[str]:
        """Folders that were materialized and are still there."""
        return {path for path in self._folders if self._form(path) == "folder"}

    def is_untouched(self, path: str) -> bool:
        """Tell quickly whether a path is as it was materialized, as nearly all are."""
        entry = self._found.get(path)
        if entry is None:
            return False
        if entry.form == "folder":
            return path in self._folders and entry.mode == FOLDER_MODE
        is_plain_file = entry.form == "file" and entry.mode == FILE_MODE
        return is_plain_file and entry.content == self._before.get(path)

    def judge(self, path: str) -> Iterator[WorkspaceChange]:
        """Changes of one path; accepted ones go into `files`."""
        entry = self._found.get(path)
        if entry is None:
            yield from self._missing(path)
        elif entry.form == "folder":
            yield from self._folder(path, entry)
        elif entry.form == "file":
            yield from self._file(path, entry, entry.content or b"")
        else:
            yield self._change(path, entry.form, WHY[entry.form])

    def _missing(self, path: str) -> Iterator[WorkspaceChange]:
        if any(self._form(folder) in BLIND for folder in ("", *parents(path))):
            return  # the folder's own change tells of it
        reason = self._refusal(path)
        if not reason:
            self.files.pop(path, None)
        yield self._change(path, "deleted", reason)

    def _folder(self, path: str, entry: WorkspaceEntry) -> Iterator[WorkspaceChange]:
        if path in self._before:
            reason = "a folder took the place of a file"
            yield self._change(path, "special", reason if self._has(Defence.SPECIAL_FILES) else "")
        elif path not in self._folders and path not in self._filled:
            yield self._change(path, "new", "an empty folder")
        elif path in self._folders and self._is_strange(entry.mode != FOLDER_MODE):
            yield self._change(path, "mode", f"mode {entry.mode:o} is not kept")

    def _file(self, path: str, entry: WorkspaceEntry, content: bytes) -> Iterator[WorkspaceChange]:
        before, refusal = self._before.get(path), self._refusal(path)
        if content != before:
            kind: Kind = "new" if before is None else "changed"
            kind, reason = self._verdict(path, kind, content, refusal)
            if not reason:
                self.files[path] = content
                self._file_names.add(fold(path))
                self._folder_names.update(map(fold, parents(path)))
            yield self._change(path, kind, reason)
        # Inside the scope permissions are an editor's business; set-id bits are nobody's.
        strange = entry.mode != FILE_MODE if refusal else entry.mode & ~PERMISSIONS
        if before is not None and self._is_strange(bool(strange)):
            yield self._change(path, "mode", f"mode {entry.mode:o} is not kept")

    def _verdict(self, path: str, kind: Kind, content: bytes, refusal: str) -> tuple[Kind, str]:
        if self._has(Defence.PLAIN_NAMES) and not is_plain(path):
            return "name", WHY["name"]
        if refusal:
            return kind, refusal
        if self._has(Defence.TEXT) and not _is_text(content):
            return "encoding", WHY["encoding"]
        if self._has(Defence.TWINS) and kind == "new" and self._is_twin(path):
            return "twin", WHY["twin"]
        return kind, ""

    def _refusal(self, path: str) -> str:
        return self._scope.refusal(path) if self._has(Defence.EDIT_SCOPE) else ""

    def _is_strange(self, mode_differs: bool) -> bool:
        return mode_differs and self._has(Defence.FILE_MODES)

    def _has(self, defence: Defence) -> bool:
        return defence not in self._without

    def _is_twin(self, path: str) -> bool:
        if fold(path) in self._file_names or fold(path) in self._folder_names:
            return True
        return any(fold(folder) in self._file_names for folder in parents(path))

    def _change(self, path: str, kind: Kind, reason: str) -> WorkspaceChange:
        entry = self._found.get(path)
        contents = self._before.get(path), entry.content if entry else None
        return describe_change(path or ".", kind, reason, contents, self._limits)

    def _form(self, path: str) -> str:
        entry = self._found.get(path)
        return entry.form if entry else ""


def _is_text(content: bytes) -> bool:
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False
