"""Who may read the files of a run: its owner, or the group of its folder, too."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

from hyperspace.kernel.state.folder import RunFolder

OWNER: Final = 0o700
GROUP: Final = 0o750
_OTHERS: Final = 0o077


@contextmanager
def made_for(run: RunFolder, *, group: bool) -> Generator[None]:
    """Make files and folders with the rights of a run's folder while the context lasts.

    Args:
        run: The run. One that exists keeps the rights that its folder has.
        group: Whether the group may read one that begins now.
    """
    mode = GROUP if group else OWNER
    with suppress(OSError):  # there is none yet
        if run.record.exists():
            mode = stat.S_IMODE(run.root.stat().st_mode)
        else:
            run.root.chmod(mode)  # made for the log of a start in the background
    before = os.umask(_OTHERS & ~mode)
    try:
        yield
    finally:
        os.umask(before)
