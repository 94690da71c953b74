"""A run that was played elsewhere, taken over from its export once all of it was verified."""

import io
import os
import shutil
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from guards.scope.edit_scope import is_plain
from hyperspace.export.packing import SPACE, Contents
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.files import sync_folder, write_tree
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import EXPORT, RunFolder
from hyperspace.kernel.state.opening import RunSpace
from hyperspace.kernel.state.ownership import sign
from hyperspace.runs.exports.archives import ArchiveRefused, read
from hyperspace.runs.exports.run_export import contents_in, sizes_of, verify
from markspace.errors import StoreError


def take_run(archive: bytes, run: Path, said: Mapping[str, Any]) -> None:
    """Put a run where it belongs, once it is what whoever played it said.

    Every file is held against the export's list, the digest is computed again from the run's space,
    and the audit chain is verified against the head that was said when the run ended. The folder
    appears as a whole, and is then this user's own.

    Args:
        archive: An export, `.tar.gz`.
        run: Where the run belongs; nothing lies there.
        said: The result of the run: its `digest` and `audit_head` count.

    Raises:
        RunDamaged: Something does not agree; nothing is left of it.
    """
    contents = packed_contents(archive)
    _require(contents.finished and not contents.redacted, "it is not a whole, finished run")
    _require(contents.digest == said.get("digest"), "its digest is not what the worker said")
    head = said.get("audit_head")
    _require(contents.audit_head == head, "the head of its audit chain is not what was said")
    beside = run.with_name(f".{run.name}.{os.getpid()}.incoming")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        verify(io.BytesIO(archive), "tar.gz", contents)
        _unpack(archive, contents, beside)
        require_chain(beside, contents)
        # By the folder's place on the disk, which a rename does not change.
        sign(beside, RunFolder(beside).record.read_bytes())
        beside.rename(run)
        sync_folder(run.parent)
    except ArchiveRefused as refused:
        raise _damaged(f"its archive {refused}") from refused
    except (StoreError, msgspec.MsgspecError, OSError) as error:
        raise _damaged(str(error)) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def packed_contents(archive: bytes) -> Contents:
    """Return the list of files in an export.

    Raises:
        RunDamaged: It has none.
    """
    try:
        return contents_in(io.BytesIO(archive), "tar.gz", len(archive))
    except ArchiveRefused as refused:
        raise _damaged(f"its archive {refused}") from refused


def _unpack(archive: bytes, contents: Contents, folder: Path) -> None:
    top = f"{contents.run}/"
    for path, data in read(io.BytesIO(archive), "tar.gz", sizes_of(contents)):
        name = path.removeprefix(top)
        _require(path.startswith(top) and is_plain(name), f"{path!r} is no path of a run")
        if name != EXPORT:  # this is the run itself, and no copy that somebody was given
            write_tree(folder, {name: data})


def require_chain(run: Path, contents: Contents) -> None:
    """Check the audit chain of an unpacked run.

    Raises:
        RunDamaged: It breaks, or has another head than its export says.
    """
    config = read_record_of(run).configuration
    with closing(RunSpace(run / SPACE, config, read_only=True)) as space:
        verdict = space.marks.space.verify()
    _require(not verdict.problem, f"its audit chain does not verify: {verdict.problem}")
    _require(verdict.head == contents.audit_head, "its audit chain has another head")


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise _damaged(problem)


def _damaged(problem: str) -> RunDamaged:
    return RunDamaged(
        f"a run that a worker played is not taken over: {problem}; the same command plays it again"
    )
