"""Heads of audit chains in a file outside the run: who rewrites the run's folder is noticed there.

The file is the user's (`--anchor`); a line is appended to it, and synced, whenever something was
closed. Lines of several runs may stand in one file.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from agents.wall_clock import utc_now
from evolution.errors import RunError, RunUsageError
from evolution.files import canonical_json, sync_folder
from evolution.state.config import RunRecord

VERSION: Final = 1
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
    """Check, before any work, that heads of a run can be appended to a file.

    Raises:
        RunUsageError: It lies in the run, or nobody can write there.
    """
    if file.resolve().is_relative_to(run.resolve()):
        raise RunUsageError(f"--anchor {file} lies in the run that it is to vouch for; {_ADVICE}")
    try:
        _append(file, b"")
    except OSError as error:
        raise RunUsageError(
            f"--anchor {file} cannot be written ({error.strerror}); {_ADVICE}"
        ) from error


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
    try:
        heads = list(_decoded(file.read_bytes()))
    except OSError as error:
        raise RunUsageError(f"--anchor {file} cannot be read ({error.strerror})") from error
    name = run_name(record)
    own = [head for head in heads if (head.run, head.started_utc) == (name, record.started_utc)]
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


def _decoded(data: bytes) -> Iterator[AnchoredHead]:
    for line in data.splitlines():
        with suppress(msgspec.MsgspecError):  # torn when the disk was full; the next one stands
            yield msgspec.json.decode(line, type=AnchoredHead)


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
