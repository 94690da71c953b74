"""Folders of the host that code in a sandbox may read, each by a name."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from guards.sandboxes.bubblewrap.confinement import reachable, sandbox_uid
from guards.sandboxes.sandbox import SandboxUnavailable

DATA: Final = "/opt/data"
"""Where they appear inside, below it by their names."""


def data_binds(folders: Mapping[str, Path]) -> dict[str, str]:
    """Return paths inside, to folders of the host.

    Raises:
        SandboxUnavailable: The sandbox's user cannot read one; says what to do.
    """
    for folder in folders.values():
        if not _can_be_read(folder):
            raise SandboxUnavailable(
                f"{folder} cannot be read by the user that sandboxes run as; let others read it, "
                "and enter the folders above it (`chmod o+rx`)"
            )
    return {f"{DATA}/{name}": str(folder) for name, folder in sorted(folders.items())}


def _can_be_read(folder: Path) -> bool:
    uid = sandbox_uid()
    try:
        is_open = uid is None or bool(folder.stat().st_mode & 0o004)
        return is_open and os.access(folder, os.R_OK) and reachable(folder, uid)
    except OSError:  # it is gone
        return False
