"""Where this user's temporary folders lie: nobody else may add, rename or link anything there.

Names directly below the shared temporary folder could be made by anybody before we look for them.
"""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from guards.sandboxes.sandbox import SandboxUnavailable

_MODE: Final = 0o711  # code inside may run as another user, who enters a folder of its own below
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def own_folder(base: Path | None = None) -> Path:
    """Return this user's folder for what does not outlive a run; it is made if it is not there.

    Args:
        base: The shared folder that it lies in; the temporary one if not given.

    Raises:
        SandboxUnavailable: Somebody else has made it, or could put another in its place.
        OSError: It cannot be made.
    """
    base = base or Path(tempfile.gettempdir())
    folder = base / f"hyperspace-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(_MODE)  # past the umask
    status, shared = folder.lstat(), base.stat()
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    if not is_ours or status.st_mode & _OTHERS_MAY_WRITE:
        raise SandboxUnavailable(f"{folder} is not this user's alone; {_ADVICE}")
    if shared.st_mode & _OTHERS_MAY_WRITE and not shared.st_mode & stat.S_ISVTX:
        raise SandboxUnavailable(f"others may rename what lies in {base}; {_ADVICE}")
    return folder


_ADVICE: Final = "set TMPDIR to a folder that only you may write to"
