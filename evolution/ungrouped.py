"""Task groups raise groups; callers want the one error that ended the work."""

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def ungrouped() -> Generator[None]:
    """Raise the only error of a group as itself; a group of several stays a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if error is group:
            raise
        raise error from error.__cause__
