"""Writing an export of a run that is as it was closed, and reading it back."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from guards.parsing import decode_json
from guards.scope.changes import printable
from guards.scope.regular_files import MOST_LIST_BYTES
from hyperspace.audit.breaches import changed_files
from hyperspace.export.packing import SPACE, Contents, Put, pack, place_of
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.files import sha256_hex
from hyperspace.kernel.state.closings import every_closing
from hyperspace.kernel.state.config import RunConfig, read_record_of
from hyperspace.kernel.state.digest import digest
from hyperspace.kernel.state.folder import EXPORT, RunFolder
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.ownership import RECORD
from hyperspace.kernel.state.replacements import changes_by_path, replacements
from hyperspace.launch.patches import file_as_folder
from hyperspace.runs.exports.archives import ArchiveRefused, Kind, find, kind_of, read, writing
from hyperspace.runs.spaces.space_export import replacing

_TAKEN: Final = ("ledger.jsonl", "summary.json")
_MOST_UNPACKED: Final = 1 << 30  # bytes of a run whose archive is small
_MOST_RATIO: Final = 100  # and how often larger than its archive any other one is


def export(run: Path, target: Path, *, redact: bool) -> Contents:
    """Pack a run into an archive that appears only when it has been verified.

    Raises:
        RunUsageError: There is no run; the archive's name has no known ending, is there already, or
            lies in the run.
        SpaceUsageError: There can be no file of that name.
        RunDamaged: The run has lost its space, or its files are not as they were closed; or what
            was written does not read back.
    """
    kind = kind_of(target)
    # Read first: where there is no run, no folder is made either.
    record = read_record_of(run)
    require_new(run, target)
    _require_as_closed(run, record.configuration)
    packed = partial(pack, run, redact=redact)
    return written(target, kind, place_of(run, record), packed, verify)


def require_new(run: Path, target: Path) -> None:
    """Check that an archive takes the place of nothing.

    Raises:
        RunUsageError: Its file is there already, or would lie in the run.
    """
    if target.resolve().is_relative_to(run.resolve()):
        raise RunUsageError(f"{target} is in the run, which is only read; name another place")
    if target.is_file() or target.is_symlink():
        raise RunUsageError(f"{target} is there already; name another, or remove it")


def written(
    target: Path,
    kind: Kind,
    top: str,
    packed: Callable[[Put], Contents],
    verified: Callable[[BinaryIO, Kind, Contents], None],
) -> Contents:
    """Write an archive that appears only when it has been verified.

    Args:
        target: Its file.
        kind: How it is packed.
        top: The folder in it below which all lies.
        packed: Hands out every file.
        verified: Reads the archive back.
    """
    with replacing(target) as file:
        with writing(file, kind) as put:
            contents = packed(lambda path, data: put(f"{top}/{path}", data))
        file.flush()
        with Path(file.name).open("rb") as archive:
            verified(archive, kind, contents)
    return contents


def _require_as_closed(run: Path, config: RunConfig) -> None:
    folder = RunFolder(run)
    with reading(folder, config) as marks:
        changes = changes_by_path(each.files for each in replacements(marks.space).values())
        for closing in every_closing(marks, config.agents):
            for problem in changed_files(folder, closing, changes):
                raise RunDamaged(
                    f"{run} is not exported: {printable(problem)}; put it back from a copy, or let "
                    f"`hyperspace resume {run}` make it again where that can be done "
                    f"(`hyperspace audit {run}` lists all that is wrong)"
                )


def verify(
    file: BinaryIO,
    kind: Kind,
    contents: Contents,
    record: str = RECORD,
    digest_of: Callable[[Path], str] = digest,
) -> None:
    """Check every file of an archive against its list, and the digest of the run in it.

    Args:
        file: The archive.
        kind: How it is packed.
        contents: Its list.
        record: Name of the file that says what the run is.
        digest_of: Computes the digest of a folder with that file, the space, and what the run took.

    Raises:
        RunDamaged: Something is missing, or another than listed.
        ArchiveRefused: It is cut or damaged, or holds more than listed.
    """
    wanted = {f"{contents.run}/{packed.path}": packed.sha256 for packed in contents.files}
    needed = {f"{contents.run}/{name}": name for name in (SPACE, record, *_TAKEN)}
    with tempfile.TemporaryDirectory(prefix="hyperspace-export-") as scratch:
        for path, data in read(file, kind, sizes_of(contents)):
            if path in needed:
                (Path(scratch) / needed[path]).write_bytes(data)
            if path == f"{contents.run}/{EXPORT}":
                _require(decode_json(data, Contents) == contents, path)
            else:
                _require(wanted.pop(path, None) == sha256_hex(data), path)
        _require(not wanted, ", ".join(wanted))
        _require(digest_of(Path(scratch)) == contents.digest, SPACE)


def contents_in(file: BinaryIO, kind: Kind, packed_bytes: int) -> Contents:
    """Return the list of files in an archive.

    Args:
        file: The archive.
        kind: How it is packed.
        packed_bytes: Its size.

    Raises:
        ArchiveRefused: It has none, or one that is too long, or says of too much.
    """
    most = _MOST_UNPACKED + _MOST_RATIO * packed_bytes
    data = find(file, kind, _is_list, MOST_LIST_BYTES, most)
    try:
        contents = decode_json(data, Contents)
    except msgspec.DecodeError as error:
        raise ArchiveRefused(f"has a list of its files that cannot be read: {error}") from error
    if sum(max(0, file.size_bytes) for file in contents.files) > most:
        raise ArchiveRefused("is too large by its list")
    if why := file_as_folder({file.path for file in contents.files}):
        raise ArchiveRefused(f"has no folder that could hold it: {why}")
    return contents


def _is_list(path: str) -> bool:
    return path.rpartition("/")[2] == EXPORT and path.count("/") >= 1


def sizes_of(contents: Contents) -> dict[str, int]:
    """Return what an archive may hold by its list: the largest size by path."""
    sizes = {f"{contents.run}/{packed.path}": packed.size_bytes for packed in contents.files}
    return sizes | {f"{contents.run}/{EXPORT}": MOST_LIST_BYTES}


def _require(holds: bool, path: str) -> None:
    if not holds:
        raise RunDamaged(f"the archive is not what its list says: {path}")
