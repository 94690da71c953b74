"""A run folder as a list of files that can be given away: sorted, hashed, redacted on request.

`export.json` goes with them: what the run is, the SHA-256 of each file, what was left out or
taken out.
"""

import re
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from guards.parsing import decode_json
from guards.scope.edit_scope import is_plain
from guards.scope.regular_files import MOST_LIST_BYTES, Unreadable, read_whole
from hyperspace.export.redaction import Redaction, Redactor, names_here
from hyperspace.export.retention import adoptions_on_record, told_sha256
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import canonical_json, content_sha256, pretty_json, sha256_hex
from hyperspace.kernel.state.closings import every_closing
from hyperspace.kernel.state.config import RunConfig, RunRecord, read_record_of
from hyperspace.kernel.state.copies import STATE
from hyperspace.kernel.state.digest import digest_of
from hyperspace.kernel.state.folder import EXPORT, STAMPS, RunFolder
from hyperspace.kernel.state.opening import RunSpace
from hyperspace.kernel.state.ownership import SIGNATURE, is_signed, signed
from hyperspace.kernel.state.remote.place import space_of
from hyperspace.kernel.state.replacements import FileChange, Replacement
from hyperspace.tasks.validate import NAME

EXPORT_FORMAT = 1
SPACE = "space.db"
_OF_SPACE = (SPACE, f"{SPACE}-wal", f"{SPACE}-shm")
Put = Callable[[str, bytes], None]


class Packed(msgspec.Struct, frozen=True):
    """One file of an export.

    Attributes:
        path: Path within the run folder.
        size_bytes: Its size.
        sha256: Hash of its content.
        original_sha256: Hash before it was redacted; None if it was not changed.
    """

    path: str
    size_bytes: int
    sha256: str
    original_sha256: str | None = None


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """export.json: what an export holds.

    Attributes:
        format: Version of this form.
        run: Path of the run below its results folder.
        digest: The run's digest.
        finished: Whether every agent's final evaluation is in it.
        audit_head: Head of the audit chain.
        audit_entries: Number of its entries.
        audit_problem: Where the chain breaks; empty if it verifies.
        redacted: Whether texts, names and folders were taken out.
        files: Every file but this one, in path order.
        left_out: Paths that are no part of an export: links, and work that was not closed.
        redactions: What was taken out of which file.
        names_kept: Files whose names or folders could not be taken out without breaking hashes.
        signature: Of all this, with the exporter's secret, who alone can tell it from another;
            empty where the exporter has none.
    """

    format: int
    run: str
    digest: str
    finished: bool
    audit_head: str
    audit_entries: int
    audit_problem: str
    redacted: bool
    files: tuple[Packed, ...]
    left_out: tuple[str, ...]
    redactions: tuple[Redaction, ...] = ()
    names_kept: tuple[str, ...] = ()
    signature: str = ""

    def signed(self) -> "Contents":
        """Return it with this user's signature in place of the one that it has."""
        return msgspec.structs.replace(self, signature=signed(self._message()))

    @property
    def is_own(self) -> bool:
        """True if this user signed it."""
        return is_signed(self._message(), self.signature)

    def _message(self) -> bytes:
        return canonical_json(msgspec.structs.replace(self, signature=""))


class Rewritten(NamedTuple):
    """Hashes of the adoptions in a summary.json before and after it was redacted."""

    before: str | None
    after: str | None


def own_export(run: Path) -> Contents | None:
    """Return what an unpacked export holds, if this user signed it and it was not changed."""
    try:
        contents = decode_json(read_whole(run / EXPORT, MOST_LIST_BYTES), Contents)
    except (Unreadable, msgspec.MsgspecError):  # no export, or one of another version
        return None
    return contents if contents.is_own else None


def changed_since(run: Path, contents: Contents) -> list[str]:
    """Return the paths of an export's files that are not what it lists; but for the space.

    That has a head of its own, and may be rewritten by whoever opens it.
    """
    listed = {file.path: file.sha256 for file in contents.files if file.path != SPACE}
    return [
        path
        for path, digest in listed.items()
        if not (run / path).is_file() or content_sha256(run / path) != digest
    ]


def place_of(run: Path, record: RunRecord) -> str:
    """Return where a run belongs below a results folder: `<domain>/<name>/seed<n>`.

    Its record says so wherever it lies; one of an earlier version does not, and then the folders
    that it lies in do if they have that form. Nothing else of them is told.
    """
    config = record.configuration
    own, seed, folder = Path(config.name), f"seed{config.seed}", run.resolve().parent
    recorded = record.run_place or ""
    if recorded.endswith(f"/{seed}") and is_plain(recorded):
        return recorded
    task = re.sub(r"\?[^+]*", "", config.domain)  # without options
    domain = task if NAME.fullmatch(task) else ""
    if config.kind == "fleet" and run.resolve().name == seed and folder.parent.name == domain:
        own = Path(folder.name)  # its file named it, and its arm
    above = folder.parents[len(own.parts) - 1 : len(own.parts)]
    names = [path.name for path in above if path / own == folder and path.name]
    return f"{names[0] if names else domain or 'run'}/{own}/{seed}"


def pack(run: Path, put: Put, *, redact: bool) -> Contents:
    """Hand out every file of a run; the space and `export.json` last.

    Args:
        run: The run folder; it may be worked on.
        put: Takes (path, content), in path order.
        redact: Take out what was said, names and folders.

    Raises:
        RunUsageError: The folder holds no run.
        StoreError: Its space cannot be read.
    """
    record = read_record_of(run)
    redactor = Redactor(names_here(run, record)) if redact else None
    with tempfile.TemporaryDirectory(prefix="hyperspace-export-") as scratch:
        copy = Path(scratch) / SPACE
        with closing(
            RunSpace(space_of(RunFolder(run)), record.configuration, read_only=True)
        ) as space:
            space.store.copy_to(copy)
        # After the copy: what it has closed lies there.
        paths, left_out = listed_files(run)
        if redactor is not None:
            own = _files_of_person(run, record.configuration, paths)
            paths, left_out = sorted({*paths} - {*own}), sorted([*left_out, *own])
        files, adoptions = list[Packed](), Rewritten(None, None)
        for path in paths:
            original = (run / path).read_bytes()
            data = original if redactor is None else redactor.redact(path, original)
            put(path, data)
            before = sha256_hex(original) if data != original else None
            files.append(Packed(path, len(data), sha256_hex(data), before))
            if run / path == RunFolder(run).summary:
                adoptions = Rewritten(told_sha256(original), told_sha256(data))
        _record_redacted(copy, record.configuration, files, adoptions)
        data = copy.read_bytes() if redactor is None else redactor.redact(SPACE, copy.read_bytes())
        put(SPACE, data)
        files.append(Packed(SPACE, len(data), sha256_hex(data)))
        contents = _contents(run, copy, record, files, left_out, redactor)
    put(EXPORT, pretty_json(contents))
    return contents


def _files_of_person(run: Path, config: RunConfig, paths: Iterable[str]) -> list[str]:
    """Return what a run has kept of its person's task, labels too, and of their extensions."""
    folder = RunFolder(run)
    kept = {folder.kept_task.name, folder.extensions.name} - {*config.agents}
    return [path for path in paths if path.partition("/")[0] in kept]


def _record_redacted(
    copy: Path, config: RunConfig, files: Iterable[Packed], adoptions: Rewritten
) -> None:
    """Put on record in the space of an export which of its files are not those of the run.

    The head of its audit chain then stands for them as they were redacted; for adoptions only
    where what was redacted was on record, too.
    """
    changes = (
        FileChange(file.path, file.original_sha256, file.sha256)
        for file in files
        if file.original_sha256 is not None
    )
    if not (redacted := tuple(changes)):
        return
    worked_on = copy.rename(copy.with_name("redacted.db"))
    with closing(RunSpace(str(worked_on), config)) as space:
        on_record = adoptions_on_record(space.marks.space)
        vouched = adoptions.after if on_record and on_record == adoptions.before else None
        space.writer().record_replacement(Replacement("redacted", redacted, vouched))
        space.store.copy_to(copy)


def listed_files(run: Path, apart: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """Paths of what is exported and of what is left out, sorted.

    Args:
        run: The run folder.
        apart: Files beside the space that are neither: copies of them are packed, or nothing.

    Raises:
        RunUsageError: A name is not the same everywhere.
    """
    paths, left_out = list[str](), list[str]()
    for path in _walk(run):
        parts = path.relative_to(run).parts
        name = "/".join(parts)
        if name in (EXPORT, SIGNATURE, STATE, *_OF_SPACE, *apart) or parts[1:] == (STAMPS,):
            continue
        require_plain(run, name)
        hidden = any(part.startswith(".") for part in parts)
        regular = stat.S_ISREG(path.lstat().st_mode)
        (paths if regular and not hidden else left_out).append(name)
    return sorted(paths), sorted(left_out)


def require_plain(run: Path, name: str) -> None:
    """Check that a name unpacks below the folder where an export is unpacked, and as it is.

    Raises:
        RunUsageError: It does not.
    """
    if not is_plain(name):
        raise RunUsageError(
            f"{run} is not exported: it holds {name!r}, which does not unpack under that name "
            "everywhere; rename it, or take it out"
        )


def _walk(folder: Path) -> Iterator[Path]:
    """Yield every path below a folder that is not a directory; links are not followed."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        else:
            yield path


def _contents(
    run: Path,
    copy: Path,
    record: RunRecord,
    files: list[Packed],
    left_out: list[str],
    redactor: Redactor | None,
) -> Contents:
    agents = record.configuration.agents
    with closing(RunSpace(str(copy), record.configuration, read_only=True)) as space:
        marks = space.marks
        verdict = marks.space.verify()
        digest = digest_of(each.manifest for each in every_closing(marks, agents))
        finished = marks.has_finals
    return Contents(
        format=EXPORT_FORMAT,
        run=place_of(run, record),
        digest=digest,
        finished=finished,
        audit_head=verdict.head,
        audit_entries=verdict.entries,
        audit_problem=verdict.problem or "",
        redacted=redactor is not None,
        files=tuple(sorted(files, key=lambda file: file.path)),
        left_out=tuple(left_out),
        redactions=() if redactor is None else tuple(redactor.done),
        names_kept=() if redactor is None else tuple(redactor.kept),
    ).signed()
