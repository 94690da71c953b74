"""Links in a run: nothing that is shown lies outside of the folder that was given.

Readers follow no link at the end of a path; these are those on the way.
"""

import os
from functools import lru_cache
from pathlib import Path

from hyperspace.kernel.errors import RunDamaged


class LinkInRun(RunDamaged):
    """A run's folder holds a link, so nothing of it is shown."""


def require_no_links(run: Path) -> None:
    """Check that neither a run's folder nor those of its agents hold a link.

    Raises:
        LinkInRun: One does.
        OSError: The run's folder cannot be read.
    """
    with os.scandir(run) as entries:
        folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    for folder in (str(run), *folders):
        if link := _link_in(folder, os.lstat(folder).st_mtime_ns):
            raise LinkInRun(
                f"{link} is a link, and links are not followed; take it away, or put the file "
                "itself in its place"
            )


@lru_cache(maxsize=1000)
def _link_in(folder: str, _changed_ns: int) -> str:
    """Return a link in a folder, which is listed again when it has changed; empty for none."""
    with os.scandir(folder) as entries:
        return next((entry.path for entry in entries if entry.is_symlink()), "")
