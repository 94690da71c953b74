"""The command line of bubblewrap: what code inside can see and do, and the Python that runs it.

Sandboxes see a standard library and no site-packages: ours hold code and fixtures that are none of
an agent's business.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.boot import ENVIRONMENT
from guards.sandboxes.sandbox import Limits, SandboxUnavailable

WORKSPACE = "/workspace"
BROKER = "/run/hyperspace"
# Between the ranges that Debian and systemd hand out, so that it is nobody's; root becomes it.
SANDBOX_UID = 60_734
# Size alone does not bound them: an empty file fills no page, and the kernel's memory all the same.
BYTES_PER_INODE, FEWEST_INODES = 4_096, 1_024
OLDEST = (3, 11)
PREFIX = "/opt/python"  # where an interpreter from elsewhere appears inside
SHARED = f"{PREFIX}/shared"
TOOLS = "/opt/tools"  # where a tool from elsewhere appears inside
# Where packages of the host appear inside; as deep below its library folder as Debian's, whose
# libraries are links to `../../../../x86_64-linux-gnu`.
LIBRARY = "/opt/library"
PACKAGES = f"{LIBRARY}/python3/packages"
PACKAGE_FOLDERS = ("site-packages", "dist-packages")
DRIVER = "/opt/driver"  # where libraries of a graphics card's driver from elsewhere appear inside
# Threads of numeric libraries, which start as many as there are cores unless they are told.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
SYSTEM_FOLDERS = ("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/lib32")
SHORTCUTS = ("bin", "lib", "lib64", "lib32")
NAMESPACES: tuple[tuple[Defence, tuple[str, ...]], ...] = (
    (Defence.HOST_USER, ("--unshare-user", "--uid", "1000", "--gid", "1000")),
    (Defence.NESTING, ("--disable-userns",)),
    (Defence.PROCESSES, ("--unshare-pid", "--as-pid-1")),
    (Defence.NETWORK, ("--unshare-net",)),
    (Defence.IPC, ("--unshare-ipc",)),
    (Defence.HOST_NAME, ("--unshare-uts", "--hostname", "hyperspace")),
    (Defence.SESSION, ("--new-session",)),
    (Defence.CAPABILITIES, ("--cap-drop", "ALL")),
    (Defence.ENVIRONMENT, ("--clearenv",)),
)


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


def sandbox_uid(without: Without = ALL_IN_FORCE) -> int | None:
    """Host user that sandboxes run as; None when it is our own.

    Root of a user namespace that has no other user is our own user to the host.
    """
    is_root = os.geteuid() == 0 and Defence.HOST_USER not in without
    return SANDBOX_UID if is_root and _is_mapped(SANDBOX_UID) else None


@cache
def _is_mapped(uid: int) -> bool:
    """Return whether our user namespace has a user."""
    ranges = (
        map(int, line.split()) for line in Path("/proc/self/uid_map").read_text().splitlines()
    )
    return any(first <= uid < first + count for first, _, count in ranges)


def interpreter() -> Interpreter:
    """The Python for the inside on this machine.

    Raises:
        SandboxUnavailable: There is none.
    """
    return find_interpreter(Path(sys.base_prefix), sandbox_uid())


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


def confine(
    python: Interpreter,
    limits: Limits,
    broker: Sequence[str],
    without: Without = ALL_IN_FORCE,
    binds: Mapping[str, str] = MappingProxyType({}),
    devices: Sequence[str] = (),
) -> list[str]:
    """Arguments for bubblewrap, up to the command that runs inside.

    Args:
        python: What runs inside.
        limits: Sizes of what is private.
        broker: Arguments that put the folder of the broker's socket in place; none for no broker.
        without: Defences that a test has taken away.
        binds: Paths inside to further paths of the host, which can be read.
        devices: Device files of the host that can be used.
    """
    if Defence.HOST_USER in without:
        without |= {Defence.NESTING}  # there is nothing to nest in
    namespaces = [part for defence, given in NAMESPACES if defence not in without for part in given]
    return [
        *("--unshare-cgroup-try", "--die-with-parent", *namespaces),
        *_system(),
        *python.mounts,
        *(part for inside, path in binds.items() for part in ("--ro-bind", path, inside)),
        *("--proc", "/proc", "--dev", "/dev"),
        *(part for path in devices for part in ("--dev-bind", path, path)),
        *("--remount-ro", "/dev"),
        *("--size", str(limits.disk_bytes), "--tmpfs", WORKSPACE),
        *("--size", str(limits.disk_bytes), "--tmpfs", "/tmp"),  # noqa: S108 -- inside, not ours
        *broker,
        *("--remount-ro", "/", "--chdir", WORKSPACE),
        *_environment(python, binds, has_broker=bool(broker)),
    ]


def inodes(limits: Limits) -> int:
    """Files, folders and links that the workspace may have, and the private tmp again."""
    return max(limits.disk_bytes // BYTES_PER_INODE, FEWEST_INODES)


def tree_memory_bytes(limits: Limits) -> int:
    """Memory of all processes together; the workspace and the private tmp are memory too."""
    return limits.memory_bytes + 2 * limits.disk_bytes


def _system() -> list[str]:
    arguments: list[str] = []
    for folder in filter(os.path.isdir, SYSTEM_FOLDERS):
        arguments += ["--ro-bind", folder, folder]
        for path in _masked(Path(folder)):
            arguments += ["--tmpfs", path, "--remount-ro", path]
    for path in (Path("/", name) for name in SHORTCUTS):
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    return [*arguments, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]


def _environment(python: Interpreter, binds: Mapping[str, str], *, has_broker: bool) -> list[str]:
    folders = [TOOLS] if any(path.startswith(f"{TOOLS}/") for path in binds) else []
    folders += [str(Path(python.path).parent), "/usr/bin", "/bin"]
    variables = {**ENVIRONMENT, **dict(python.environment), "HOME": "/tmp"}  # noqa: S108 -- inside
    if DRIVER in binds:
        ours = variables.get("LD_LIBRARY_PATH")
        variables["LD_LIBRARY_PATH"] = f"{ours}:{DRIVER}" if ours else DRIVER
    variables["PATH"] = ":".join(dict.fromkeys(folders))
    if any(path.startswith(f"{PACKAGES}/") for path in binds):
        # PyTorch 2 asks for the user's name, of which nothing inside knows any.
        variables |= {"PYTHONPATH": PACKAGES, "LOGNAME": "agent", **ONE_THREAD}
    if has_broker:
        variables["HYPERSPACE_BROKER"] = f"{BROKER}/s"
    return [part for name in sorted(variables) for part in ("--setenv", name, variables[name])]


def _masked(library: Path) -> list[str]:
    """Package folders below a library folder, which sandboxes must not see."""
    folders = [library.glob(f"python3*/{name}") for name in PACKAGE_FOLDERS]
    return sorted(str(path) for paths in folders for path in paths if path.is_dir())


def _mounted(prefix: Path) -> Interpreter:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    binary = (prefix / "bin" / name).resolve()
    mounts = ["--ro-bind", str(binary), f"{PREFIX}/bin/python3"]
    mounts += ["--ro-bind", str(prefix / "lib"), f"{PREFIX}/lib"]
    for folder in _masked(prefix / "lib"):
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
