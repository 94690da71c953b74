"""Writing pages and images where a person asked for them, whole or not at all."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evolution.errors import RunUsageError
from evolution.files import in_the_way, write_atomically
from guards.scope.changes import printable
from reporting.figures import Drawn, to_png

IMAGE: Final = ".png"


def check_targets(page: Path | None, images: Path | None, table: Path | None = None) -> None:
    """Refuse early what could not be written after all the work.

    Raises:
        RunUsageError: There is a folder where a page should go, or a file for a folder.
    """
    if page is not None and page.is_dir():
        raise RunUsageError(f"{page} is a folder; name a file for the page, such as report.html")
    if table is not None and table.is_dir():
        raise RunUsageError(f"{table} is a folder; name a file for the table, such as scores.csv")
    if images is not None and images.exists() and not images.is_dir() and not is_one_image(images):
        raise RunUsageError(f"{images} is no folder; images go to FILE.png or into a folder")
    for target in filter(None, (page, images, table)):
        if blocking := in_the_way(target.parent):
            raise RunUsageError(f"{target}: {blocking} is no folder; name another place")


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
