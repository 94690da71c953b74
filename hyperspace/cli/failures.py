"""Which failures are a sentence for a person, and with which exit code."""

import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from guards.sandboxes.sandbox import SandboxError
from guards.scope.regular_files import NotRegular
from hyperspace.executor.errors import ExecutorError, ExecutorUsageError
from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.kernel.exception_groups import leaf_errors
from hyperspace.kernel.files import settled
from hyperspace.models.base import AuthFailed, ModelError, UnknownModel, UnknownPrice
from hyperspace.runs.spaces.listing import printable
from hyperspace.runs.spaces.opening import SpaceUsageError
from hyperspace.spending.prices import PriceTableError
from hyperspace.tasks.base import DomainError
from markspace.errors import PlaceError, StoreError

FAILED = 1
USAGE = 2
_USAGE_ERRORS = (
    RunUsageError,
    UnknownModel,
    UnknownPrice,
    PriceTableError,
    AuthFailed,
    DomainError,
    SpaceUsageError,
    PlaceError,
    ExecutorUsageError,
)
_FAILURES = (RunError, ModelError, SandboxError, StoreError, ExecutorError)


class _Trouble(NamedTuple):
    what: str
    advice: str


_MAKE_ROOM: Final = "nothing that was finished is lost; make room and run the same command again"
_MEMORY: Final = "nothing that was finished is lost; free some, or allow more (ulimit -v)"
_LOCKS: Final = "name a place on a local disk (--results), and run the same command again"
_WRITABLE: Final = "name a place that you may write to, or change its permissions"
_FOLDER: Final = "name a path whose folders are folders"
_MACHINE: Final[dict[int, _Trouble]] = {
    errno.ENOSPC: _Trouble("the disk is full", _MAKE_ROOM),
    errno.EDQUOT: _Trouble("the disk quota is used up", _MAKE_ROOM),
    errno.EFBIG: _Trouble(
        "a file would grow beyond the allowed size",
        "nothing that was finished is lost; raise the limit (ulimit -f) and run the same command "
        "again",
    ),
    errno.ENOMEM: _Trouble("memory ran out", _MEMORY),
    errno.ENOLCK: _Trouble("the file system has no locks", _LOCKS),
    errno.EOPNOTSUPP: _Trouble("the file system has no locks, or not all that is needed", _LOCKS),
    errno.EIO: _Trouble(
        "the disk could not read or write", "look at the disk, then run the same command again"
    ),
    errno.EMFILE: _Trouble(
        "too many files are open", "raise the limit (ulimit -n) and run the same command again"
    ),
}
"""What a machine may run out of: no word of the person's is wrong."""

_SHAPE: Final[dict[int, _Trouble]] = {
    errno.ENOTDIR: _Trouble("a file stands where a folder is needed", _FOLDER),
    errno.EEXIST: _Trouble("something that is no folder has this name", "name another path"),
    errno.EISDIR: _Trouble("a folder stands where a file is needed", "name a file"),
    errno.ENAMETOOLONG: _Trouble("the name is too long", "name a shorter one"),
    errno.ELOOP: _Trouble("this is a link, or links lead round in a circle", "name another path"),
}
"""Paths that can never be what they are used for, whoever asks."""

_RIGHTS: Final[dict[int, _Trouble]] = {
    errno.EROFS: _Trouble("the file system is read-only", _WRITABLE),
    errno.EACCES: _Trouble("permission was denied", _WRITABLE),
    errno.EPERM: _Trouble("permission was denied", _WRITABLE),
}
"""Paths that another person, or another time, could use."""

_ABSENT: Final[dict[int, _Trouble]] = {
    errno.ENOENT: _Trouble("this does not exist, and cannot be made", "name another path"),
}
"""A failure of the person's only where the path is theirs."""

_TROUBLES: Final = _MACHINE | _SHAPE | _RIGHTS | _ABSENT
_LONGEST_PATH: Final = 200


class Failure(NamedTuple):
    """One line for the person, and the exit code."""

    message: str
    code: int


def explain(error: BaseException, named: Iterable[Path] = ()) -> Failure | None:
    """Turn an expected failure into a sentence; None for a defect of ours.

    Args:
        error: What was raised; of a group, the first failure that is known counts.
        named: Paths of the command line: that one of them cannot be used is a usage error.
    """
    paths = tuple(named)
    for cause in leaf_errors(error):
        failure = _explain_one(cause, paths)
        if failure is not None:
            return failure
    return None


def cannot_listen(host: str, port: int, error: OSError) -> str:
    """Return what to tell somebody whose server cannot listen on an address, or on a port."""
    advice = (
        "choose another --port, or 0 for any free one"
        if error.errno in (errno.EADDRINUSE, errno.EACCES)
        else "choose an address of this machine as --host: 127.0.0.1, or 0.0.0.0 for all of them"
    )
    return f"cannot listen on {host}:{port}: {error.strerror or error}; {advice}"


def _explain_one(error: BaseException, named: Sequence[Path]) -> Failure | None:
    if isinstance(error, _USAGE_ERRORS):
        return Failure(_line(error), USAGE)
    if isinstance(error, _FAILURES):
        return Failure(_line(error), FAILED)
    if isinstance(error, NotRegular):
        return Failure(f"{_line(error)}; put a plain file in its place, and start again", FAILED)
    if isinstance(error, MemoryError):
        return Failure(f"memory ran out; {_MEMORY}", FAILED)
    if isinstance(error, OSError) and error.errno in _TROUBLES:
        return _of_a_path(error, _TROUBLES[error.errno], named)
    return None


def _line(error: BaseException) -> str:
    """Return its words in one line; what else a terminal should not get, its stream escapes."""
    return str(error).replace("\n", "\\n")


def _of_a_path(error: OSError, trouble: _Trouble, named: Sequence[Path]) -> Failure | None:
    where, is_named = "", False
    if isinstance(error.filename, str | bytes):
        target = settled(Path(os.fsdecode(error.filename)))  # a person waits for that
        where = f"{printable(str(target), _LONGEST_PATH)}: "
        failed = os.path.abspath(target)  # noqa: PTH100  links stay
        is_named = any(Path(os.path.abspath(path)).is_relative_to(failed) for path in named)  # noqa: PTH100
    if error.errno in _ABSENT and not is_named:
        return None
    is_usage = error.errno in _SHAPE or (error.errno not in _MACHINE and is_named)
    return Failure(f"{where}{trouble.what}; {trouble.advice}", USAGE if is_usage else FAILED)
