"""The Python that runs inside bubblewrap, and the mounts that it needs.

Sandboxes see a standard library and no site-packages: ours hold code and fixtures that are none of
an agent's business.
"""

import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from guards.sandboxes.sandbox import SandboxUnavailable

OLDEST = (3, 11)
PREFIX = "/opt/python"  # where an interpreter from elsewhere appears inside
SHARED = f"{PREFIX}/shared"
PACKAGE_FOLDERS = ("site-packages", "dist-packages")


class Interpreter(NamedTuple):
    """A Python for the inside.

    Attributes:
        path: Where it is inside.
        mounts: Arguments for bubblewrap that put it there; none for the system's Python.
        environment: Variables that it needs to start.
    """

    path: str
    mounts: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


def find_interpreter(prefix: Path, uid: int | None) -> Interpreter:
    """Choose the Python that runs us if the sandbox can reach it, else the system's.

    Args:
        prefix: Where the Python that runs us is installed (`sys.base_prefix`).
        uid: Host user that sandboxes run as; None when it is our own.

    Raises:
        SandboxUnavailable: Neither serves; says why.
    """
    if prefix != Path("/usr") and reachable(prefix, uid):
        return _mounted(prefix)
    return _system_python(prefix, uid)


def reachable(path: Path, uid: int | None) -> bool:
    """Return whether the sandbox's user can open a folder and all folders above it."""
    folders = [path, *path.parents]
    if uid is None:
        return all(os.access(folder, os.X_OK) for folder in folders)
    return all(folder.stat().st_mode & 0o001 for folder in folders)


def masked(library: Path) -> list[str]:
    """Package folders below a library folder, which sandboxes must not see."""
    folders = [library.glob(f"python3*/{name}") for name in PACKAGE_FOLDERS]
    return sorted(str(path) for paths in folders for path in paths if path.is_dir())


def _mounted(prefix: Path) -> Interpreter:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    binary = (prefix / "bin" / name).resolve()
    mounts = ["--ro-bind", str(binary), f"{PREFIX}/bin/python3"]
    mounts += ["--ro-bind", str(prefix / "lib"), f"{PREFIX}/lib"]
    for folder in masked(prefix / "lib"):
        inside = f"{PREFIX}/lib/{Path(folder).relative_to(prefix / 'lib')}"
        mounts += ["--tmpfs", inside, "--remount-ro", inside]
    libraries = sorted((prefix / "lib").glob("libpython3*.so*"))
    for library in libraries:
        mounts += ["--ro-bind", str(library.resolve()), f"{SHARED}/{library.name}"]
    environment = (("LD_LIBRARY_PATH", SHARED),) if libraries else ()
    return Interpreter(f"{PREFIX}/bin/python3", tuple(mounts), environment)


def _system_python(prefix: Path, uid: int | None) -> Interpreter:
    for name in (f"python3.{sys.version_info.minor}", "python3"):
        binary = Path("/usr/bin", name).resolve()
        version = re.fullmatch(r"python3\.(\d+)", binary.name)
        if binary.is_file() and version and (3, int(version[1])) >= OLDEST:
            return Interpreter(f"/usr/bin/{binary.name}")
    why = f"{prefix} cannot be reached by the sandbox's user" if uid is not None else "none is ours"
    raise SandboxUnavailable(
        f"no Python for the sandbox: {why}, and /usr/bin has no Python 3.11 or newer. "
        "Install python3 3.11+ from the system's packages, or a Python where all users can read it"
    )
