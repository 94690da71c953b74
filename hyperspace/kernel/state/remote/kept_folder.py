"""What a run whose space is on a server keeps there of its folder, to go on in another one.

Most files follow from the marks. The record, the limits and the code that agents began with do not,
so they are kept as a mark of their own; traces are kept by their hash (`MarkWriter.keep_files`).
"""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from guards.parsing import decode_json
from guards.scope.edit_scope import is_plain
from hyperspace.kernel.errors import ConfigMismatch, RunDamaged
from hyperspace.kernel.files import (
    canonical_json,
    files_below,
    sha256_hex,
    write_atomically,
    write_tree,
)
from hyperspace.kernel.state.config import RunConfig, RunRecord, decode_record, require_equal
from hyperspace.kernel.state.folder import TEST_WORK, RunFolder, require_free
from hyperspace.kernel.state.marks import convert
from hyperspace.kernel.state.ownership import SIGNATURE, is_signed, sign, signed
from hyperspace.kernel.state.scopes import GENERATIONS
from markspace import Action, MarkSpace, MarkType
from markspace.errors import StoreMissing
from markspace.stores.places import open_store

KEPT_RESOURCE: Final = "folder"
RECORD: Final = "run_config.json"
TERMS: Final = "limits.json"
START: Final = "start/"


class KeptFolder(msgspec.Struct, frozen=True):
    """Files of a run's folder, as they are from here on.

    Attributes:
        run_place: Of the run below a results folder, `<domain>/<name>/seed<n>`.
        files: Path to text.
        signature: Says to who began the run that it is theirs
            (`hyperspace.kernel.state.ownership`).
    """

    run_place: str
    files: dict[str, str]
    signature: str = ""

    def record(self) -> RunRecord:
        """Return the run's record.

        Raises:
            RunUsageError: Another version wrote it.
            RunDamaged: It cannot be read.
        """
        where = f"{RECORD} in the run's space"
        try:
            values = decode_json(self.files[RECORD].encode(), dict[str, Any])
        except msgspec.MsgspecError as error:
            raise RunDamaged(f"{where} cannot be read: {error}") from error
        return decode_record(values, where)

    def sign(self) -> "KeptFolder":
        """Return it with this user's signature."""
        return msgspec.structs.replace(self, signature=signed(self._message()))

    @property
    def is_own(self) -> bool:
        """True if this user signed it, with the secret that is there now."""
        return is_signed(self._message(), self.signature)

    def _message(self) -> bytes:
        hashes = {path: sha256_hex(text.encode()) for path, text in self.files.items()}
        return canonical_json({"kept": hashes, "place": self.run_place})


def folder_to_keep(folder: RunFolder, run_place: str) -> KeptFolder:
    """Read what has to be kept of a folder, and sign it.

    Args:
        folder: The run's.
        run_place: Where it belongs below a results folder.
    """
    names = [folder.record.name, folder.terms.name]
    names += [f"{folder.start.name}/{path}" for path in files_below(folder.start)]
    files = {name: (folder.root / name).read_text("utf-8") for name in names}
    return KeptFolder(run_place, files).sign()


def restore_folder(
    folder: RunFolder, requested: RunConfig | None = None, sandbox: str | None = None
) -> None:
    """Put back what a server keeps of a run, where its folder is not there.

    It is this user's own where this user began the run; otherwise it stays somebody else's.

    Args:
        folder: The run's.
        requested: The run that is asked for; None for whichever is kept.
        sandbox: What its record is to call its sandbox; None for whatever it does.

    Raises:
        ConfigMismatch: Another run than the one that is asked for is kept.
        RunUsageError: The folder holds something else than a run, or another version wrote the
            record.
        StoreError: The server cannot be asked.
        RunDamaged: The space is none of ours, or its record cannot be read.
    """
    if folder.address is None or folder.record.exists():
        return
    kept = kept_at(folder.address)
    if kept is None:
        return require_free(folder.root)
    files = {path: text.encode() for path, text in kept.files.items()}
    earlier = kept.record()
    _require_own(folder, files, earlier.configuration)
    if requested is not None:
        require_equal(folder.address, earlier.configuration, requested)
        if sandbox not in (None, earlier.sandbox):
            raise ConfigMismatch(folder.address, "sandbox", earlier.sandbox, sandbox)
    record = files.pop(folder.record.name)
    write_tree(folder.root, files)
    if kept.is_own:
        sign(folder.root, record)
    write_atomically(folder.record, record)
    folder.is_restored = True


def _require_own(folder: RunFolder, files: Iterable[str], config: RunConfig) -> None:
    """Check that a folder holds nothing but what a kill, or the loss of the record, has left."""
    views = (path.name for path in folder.views)
    paths = {Path(name) for name in (*files, SIGNATURE, RECORD, *views)}
    parents = {parent for path in paths for parent in path.parents}
    folders = {*config.agents, TEST_WORK, folder.abandoned.name, folder.best.name}
    folders |= {folder.kept_task.name, folder.extensions.name}
    require_free(folder.root, paths | parents, folders)


def kept_folder(space: MarkSpace) -> KeptFolder | None:
    """Return what was kept last; None if nothing was.

    Raises:
        RunDamaged: It is none of ours.
    """
    stored = space.read(GENERATIONS, resource=KEPT_RESOURCE, mark_type=MarkType.ACTION)
    marks = [mark for mark in stored if isinstance(mark, Action)]
    if not marks:
        return None
    newest = max(marks, key=lambda mark: space.sequence_of(mark.id) or 0)
    kept = convert(KeptFolder, newest.result)
    names = {RECORD, TERMS}
    others = [path for path in kept.files if path not in names]
    if not (names <= kept.files.keys() and all(path.startswith(START) for path in others)):
        raise RunDamaged(f"the run's space keeps other files than a run has: {others[:3]}")
    if not all(map(is_plain, [kept.run_place, *kept.files])):
        raise RunDamaged(f"the run's space names files of {kept.run_place!r} outside of its folder")
    return kept


def kept_at(address: str) -> KeptFolder | None:
    """Return what a space on a server keeps of a run; None if there is no such space, or no run.

    Raises:
        StoreError: The server cannot be asked.
        RunDamaged: The space is none of ours.
    """
    try:
        with closing(open_store(address, None, read_only=True)) as store:
            space = MarkSpace(store=store)
            return kept_folder(space) if space.is_registered(GENERATIONS) else None
    except StoreMissing:
        return None
