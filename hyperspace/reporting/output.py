"""Writing pages and images where a person asked for them, whole or not at all."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from guards.scope.changes import printable
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import in_the_way, write_atomically
from hyperspace.kernel.state.folder import EXPORT
from hyperspace.kernel.state.run_not_found import RECORD, RESEARCH
from hyperspace.reporting.figures import Drawn, to_png

IMAGE: Final = ".png"
_PAGE: Final = ".html"
_TABLE: Final = ".csv"
_RECORDS: Final = (RECORD, RESEARCH, EXPORT)


def require_output(target: Path, source: Path | None = None) -> None:
    """Check that what is written takes the place of nothing but an earlier output.

    Args:
        target: A file or folder that a person named.
        source: What is read.

    Raises:
        RunUsageError: It is a device, a pipe or the like; it is what is read; or it is in a run,
            whose files are evidence.
    """
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise RunUsageError(f"{target} is no regular file; name another place")
    if source is not None and source.is_file() and target.exists() and target.samefile(source):
        raise RunUsageError(f"{target} is what is read; name another place")
    resolved = target.resolve()
    for folder in (resolved, *resolved.parents):
        if any((folder / record).is_file() for record in _RECORDS):
            raise RunUsageError(
                f"{target} is in the run {folder}, which is only read; name another place"
            )


def check_targets(
    page: Path | None,
    images: Path | None,
    table: Path | None = None,
    source: Path | None = None,
) -> None:
    """Refuse early what could not be written after all the work, and what would take a place.

    Args:
        page: Where a page goes.
        images: Where images go: one file, or a folder.
        table: Where a table goes.
        source: What is read.

    Raises:
        RunUsageError: There is a folder where a page should go, or a file for a folder; two are
            the same; a name ends as another kind of file does; or see `require_output`.
    """
    named = [target for target in (page, images, table) if target is not None]
    if len({target.absolute() for target in named}) < len(named):
        raise RunUsageError(f"{named[-1]} is named twice; each output takes a place of its own")
    for target in named:
        require_output(target, source)
    if page is not None and page.is_dir():
        raise RunUsageError(f"{page} is a folder; name a file for the page, such as report.html")
    if table is not None and table.is_dir():
        raise RunUsageError(f"{table} is a folder; name a file for the table, such as scores.csv")
    if images is not None and images.exists() and not images.is_dir() and not is_one_image(images):
        raise RunUsageError(f"{images} is no folder; images go to FILE.png or into a folder")
    for target in filter(None, (page, images, table)):
        if blocking := in_the_way(target.parent):
            raise RunUsageError(f"{target}: {blocking} is no folder; name another place")
    _require_ending(page, _PAGE, "a page")
    _require_ending(table, _TABLE, "a table")
    if images is not None and not images.is_dir():
        _require_ending(images, IMAGE, "an image")


def _require_ending(target: Path | None, ending: str, what: str) -> None:
    """Check that a name does not end as another kind of file does; a number is no ending."""
    if target is not None and target.suffix[1:].isalpha() and target.suffix.lower() != ending:
        better = target.with_suffix(ending)
        raise RunUsageError(f"{target} ends in {target.suffix}, and {what} in {ending}: {better}")


def write_page(target: Path, document: str) -> None:
    """Write an HTML file."""
    write_atomically(target, document.encode())
    say_written(target)


def write_table(target: Path, table: bytes) -> None:
    """Write a CSV file."""
    write_atomically(target, table)
    say_written(target)


def is_one_image(target: Path) -> bool:
    """Return whether one image is asked for, and not a directory of them."""
    return target.suffix.lower() == IMAGE and not target.is_dir()


def write_images(target: Path, figures: Sequence[Drawn]) -> None:
    """Write each figure under its name into a folder, or the only one as the file named."""
    if is_one_image(target) and len(figures) == 1:
        write_atomically(target, to_png(figures[0].figure))
    else:
        for drawn in figures:
            write_atomically(target / f"{drawn.name}{IMAGE}", to_png(drawn.figure))
    say_written(target)


def say_written(target: Path) -> None:
    """Print where something was written."""
    # On standard error, so that standard output stays one JSON object where that is asked for.
    sys.stderr.write(f"written: {printable(str(target))}\n")
