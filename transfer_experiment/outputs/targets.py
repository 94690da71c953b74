"""Where a page and tables go, checked before the work."""

from pathlib import Path

from guards.scope.changes import printable
from hyperspace.kernel.errors import RunUsageError
from hyperspace.reporting import output


def check_targets(page: Path | None, tables: Path | None, source: Path | None = None) -> None:
    """Refuse early what could not be written after all the work, and what would take a place.

    Raises:
        RunUsageError: There is a folder where a page should go, a file where a folder should be, or
            no such name can be.
    """
    for target in (page, tables):
        if target is None:
            continue
        path, name = target.absolute(), printable(str(target))
        try:
            there = next(above for above in path.parents if _exists(above))
            _exists(path)
        except OSError as error:
            raise RunUsageError(f"{name} cannot be written: {error.strerror}") from error
        if not there.is_dir():
            raise RunUsageError(f"{there} is no folder, so {name} cannot be written")
    output.check_targets(page, None, source=source)
    if tables is not None:
        output.require_output(tables)
    if tables is not None and tables.exists() and not tables.is_dir():
        raise RunUsageError(f"{tables} is no folder; tables go into a folder")


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
