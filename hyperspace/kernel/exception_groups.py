"""Task groups raise groups; callers want the one error that ended the work."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import cast


def leaf_errors(error: BaseException) -> Iterator[BaseException]:
    """The errors in a group, however deep; an error that is no group is its own leaf."""
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from leaf_errors(inner)
    else:
        yield error


@contextmanager
def unwrap_single_error() -> Generator[None]:
    """Raise the only error of a group as itself; a group of several stays a group."""
    try:
        yield
    except BaseException as error:  # whatever it is, it is raised again
        leaves = list(leaf_errors(error))
        if len(leaves) != 1 or leaves[0] is error:
            raise
        raise leaves[0] from leaves[0].__cause__
