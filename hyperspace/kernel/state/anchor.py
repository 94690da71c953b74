"""Heads of audit chains in a file outside the run: who rewrites the run's folder is noticed there.

The file is the user's (`--anchor`); a line is appended to it, and synced, whenever something was
closed. Lines of several runs may stand in one file.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import RunDamaged, RunError, RunUsageError
from hyperspace.kernel.files import canonical_json, sync_folder
from hyperspace.kernel.state.config import RunRecord
from hyperspace.kernel.state.run_not_found import RECORD
from hyperspace.wall_clock import utc_now
from markspace import MarkSpace

VERSION: Final = 1
MOST_BYTES: Final = 64_000_000  # some hundred thousand lines
EMPTY_HEAD: Final = bytes(32).hex()
_ADVICE: Final = "name a file of yours outside the run, where you may write"


class AnchoredHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the file.

    Attributes:
        run: Name and seed of the run.
        started_utc: When it began, which tells it from others of that name.
        agent: Who closed something; empty for the end of the run.
        generation: What was closed; `end` for the end of the run.
        head: The head of the audit chain then.
        recorded_utc: When the line was written.
        version: Of this form.
    """

    run: str
    started_utc: str
    agent: str
    generation: int | Literal["test", "end"]
    head: str
    recorded_utc: str
    version: Literal[1] = VERSION


def check_anchor(file: Path, run: Path) -> None:
    """Check, before any work, that heads of a run can be appended to a file; makes none.

    Raises:
        RunUsageError: It lies in a run, is no regular file, or nobody can write there.
    """
    place = file.resolve()
    if place.is_relative_to(run.resolve()):
        raise RunUsageError(f"--anchor {file} lies in the run that it is to vouch for; {_ADVICE}")
    try:
        for folder in place.parents:
            if (folder / RECORD).exists():
                raise RunUsageError(f"--anchor {file} lies in the run in {folder}; {_ADVICE}")
        _require_writable(place)
    except OSError as error:
        raise RunUsageError(
            f"--anchor {file} cannot be written ({error.strerror}); {_ADVICE}"
        ) from error


def check_chain(file: Path, record: RunRecord, space: MarkSpace) -> None:
    """Check, before a run goes on, that its chain holds every head of it in a file.

    Raises:
        RunUsageError: The file cannot be read.
        RunDamaged: The chain lacks one.
    """
    digests = {EMPTY_HEAD, *(entry.digest for entry in space.audit())}
    for each in _own(_read(file), record) if file.exists() else ():
        if each.head not in digests:
            raise RunDamaged(
                f"head {each.head}, which {file} names, is not in the chain of the run that is to "
                "go on: that was written anew, or is an older copy; restore the newer one, or name "
                "another file"
            )


def anchor(
    file: Path, record: RunRecord, agent: str, generation: int | Literal["test", "end"], head: str
) -> None:
    """Append the head of a run's audit chain.

    Raises:
        RunError: The file cannot be written.
    """
    name, started_utc = run_name(record), record.started_utc
    line = AnchoredHead(name, started_utc, agent, generation, head, utc_now())
    try:
        _append(file, canonical_json(line) + b"\n")
    except OSError as error:
        raise RunError(
            f"--anchor {file} cannot be written ({error.strerror}); nothing is lost, the same "
            "command goes on when it can"
        ) from error


def anchored_heads(file: Path, record: RunRecord) -> list[AnchoredHead]:
    """Return what a file holds of a run, in its order.

    Raises:
        RunUsageError: It cannot be read, or holds nothing of this run.
    """
    heads, name = _read(file), run_name(record)
    own = _own(heads, record)
    if not own:
        runs = sorted({f"{head.run} of {head.started_utc}" for head in heads})
        raise RunUsageError(
            f"{file} holds no head of {name} of {record.started_utc}, so it vouches for nothing of "
            f"it; there are heads of: {', '.join(runs) or 'no run'}"
        )
    return own


def run_name(record: RunRecord) -> str:
    """Return the name of a run among others: its pairing or arm, and its seed."""
    return f"{record.configuration.name}/seed{record.configuration.seed}"


def _read(file: Path) -> list[AnchoredHead]:
    try:  # a link is the person's word
        return list(_decoded(read_whole(file.resolve(), MOST_BYTES)))
    except Unreadable as reason:
        raise RunUsageError(f"--anchor {file} cannot be read (it {reason})") from reason


def _own(heads: Iterable[AnchoredHead], record: RunRecord) -> list[AnchoredHead]:
    own = (run_name(record), record.started_utc)
    return [head for head in heads if (head.run, head.started_utc) == own]


def _decoded(data: bytes) -> Iterator[AnchoredHead]:
    for line in data.splitlines():
        with suppress(msgspec.MsgspecError):  # torn when the disk was full; the next one stands
            each = decode_json(line, AnchoredHead)
            yield msgspec.structs.replace(each, head=each.head.lower())


def _require_writable(file: Path) -> None:
    if not file.exists():
        if not os.access(file.parent, os.W_OK | os.X_OK):
            reason = errno.EACCES if file.parent.is_dir() else errno.ENOENT
            raise OSError(reason, os.strerror(reason))
    elif not file.is_file():
        raise OSError(errno.EINVAL, "it is no regular file")
    else:
        os.close(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC))


def _append(file: Path, data: bytes) -> None:
    """Append on a line of its own, in one write, and wait until it is on disk."""
    descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        if data and size and os.pread(descriptor, 1, size - 1) != b"\n":
            data = b"\n" + data
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(file.resolve().parent)
