"""Which failures are a sentence for a person, and with which exit code."""

import errno
from typing import NamedTuple

from agents.models.base import AuthFailed, ModelError, UnknownModel, UnknownPrice
from agents.prices import PriceTableError
from domains.base import DomainError
from evolution.errors import RunError, RunUsageError
from evolution.ungrouped import leaves
from guards.sandbox import SandboxError
from hyperspace.spaces import SpaceUsageError
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
)
_FAILURES = (RunError, ModelError, SandboxError, StoreError)
_FULL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "a file would grow beyond the allowed size",
    errno.EROFS: "the folder is on a read-only file system",
    errno.EACCES: "permission was denied",
}


class Failure(NamedTuple):
    """What to tell the person, and the exit code."""

    message: str
    code: int


def explain(error: BaseException) -> Failure | None:
    """Turn an expected failure into a sentence; None for a defect of ours."""
    for cause in leaves(error):
        failure = _explain_one(cause)
        if failure is not None:
            return failure
    return None


def _explain_one(error: BaseException) -> Failure | None:
    if isinstance(error, _USAGE_ERRORS):
        return Failure(str(error), USAGE)
    if isinstance(error, _FAILURES):
        return Failure(str(error), FAILED)
    if isinstance(error, OSError) and error.errno in _FULL:
        where = f" ({error.filename})" if error.filename else ""
        advice = "nothing that was finished is lost; make room and run the same command again"
        return Failure(f"{_FULL[error.errno]}{where}; {advice}", FAILED)
    return None
