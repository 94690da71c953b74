"""The command line of bubblewrap: what code inside can see and do."""

import os
import sys
from pathlib import Path

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.boot import ENVIRONMENT
from guards.sandboxes.bubblewrap.interpreter import Interpreter, find_interpreter, masked
from guards.sandboxes.sandbox import Limits

WORKSPACE = "/workspace"
BROKER = "/run/hyperspace"
# Between the ranges that Debian and systemd hand out, so that it is nobody's; root becomes it.
SANDBOX_UID = 60_734
# Size alone does not bound them: an empty file fills no page, and the kernel's memory all the same.
BYTES_PER_INODE, FEWEST_INODES = 4_096, 1_024
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


def sandbox_uid(without: Without = ALL_IN_FORCE) -> int | None:
    """Host user that sandboxes run as; None when it is our own."""
    return SANDBOX_UID if os.geteuid() == 0 and Defence.HOST_USER not in without else None


def interpreter() -> Interpreter:
    """The Python for the inside on this machine.

    Raises:
        SandboxUnavailable: There is none.
    """
    return find_interpreter(Path(sys.base_prefix), sandbox_uid())


def confine(
    python: Interpreter, limits: Limits, broker: Path | None, without: Without = ALL_IN_FORCE
) -> list[str]:
    """Arguments for bubblewrap, up to the command that runs inside."""
    if Defence.HOST_USER in without:
        without |= {Defence.NESTING}  # there is nothing to nest in
    namespaces = [part for defence, given in NAMESPACES if defence not in without for part in given]
    return [
        *("--unshare-cgroup-try", "--die-with-parent", *namespaces),
        *_system(),
        *python.mounts,
        *("--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"),
        *_private(WORKSPACE, limits.disk_bytes),
        *_private("/tmp", limits.disk_bytes),  # noqa: S108 -- inside, not ours
        *(("--ro-bind", str(broker), BROKER) if broker else ()),
        *("--remount-ro", "/", "--chdir", WORKSPACE),
        *_environment(python, broker),
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
        for path in masked(Path(folder)):
            arguments += ["--tmpfs", path, "--remount-ro", path]
    for path in (Path("/", name) for name in SHORTCUTS):
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    return [*arguments, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]


def _private(path: str, size: int) -> list[str]:
    return ["--size", str(size), "--tmpfs", path]


def _environment(python: Interpreter, broker: Path | None) -> list[str]:
    folders = [str(Path(python.path).parent), "/usr/bin", "/bin"]
    variables = {**ENVIRONMENT, **dict(python.environment), "HOME": "/tmp"}  # noqa: S108 -- inside
    variables["PATH"] = ":".join(dict.fromkeys(folders))
    if broker:
        variables["HYPERSPACE_BROKER"] = f"{BROKER}/s"
    return [part for name in sorted(variables) for part in ("--setenv", name, variables[name])]
