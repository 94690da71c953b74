"""Namespaces and dropped rights of a candidate; the template calls these functions.

Executed by `template`, never on the host. The numbers are the kernel's: linux/sched.h,
linux/mount.h, linux/prctl.h, linux/capability.h.
"""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket

NEW_USER, NEW_MOUNTS, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x00020000, 0x20000000, 0x40000000
NEW_IPC, NEW_HOST_NAME, NEW_CGROUPS = 0x08000000, 0x04000000, 0x02000000
FRESH = NEW_USER | NEW_MOUNTS | NEW_PIDS | NEW_NETWORK | NEW_IPC | NEW_HOST_NAME | NEW_CGROUPS
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC = 0x1, 0x2, 0x4, 0x8
REMOUNT, BIND, PRIVATE, RECURSIVE = 0x20, 0x1000, 0x40000, 0x4000
SET_PARENT_DEATH_SIGNAL, DROP_FROM_BOUNDS = 1, 24
CAPABILITIES_V3 = 0x20080522
KILL, CHILD_ENDED = 9, 17
WAITING = 65_536  # callers of a broker; as many as the kernel lets wait

_libc = ctypes.CDLL(None, use_errno=True)
_held = ctypes.PyDLL(None, use_errno=True)  # the same, with Python's lock held meanwhile
_held.syscall.restype = ctypes.c_long


class NamespaceError(Exception):
    """The kernel refused a part; the message says which."""


def fork_fresh(clone: int) -> int:
    """Fork into new namespaces of every kind, where the child is the first process; 0 is the child.

    As `os.fork` does; but a process that enters new namespaces by itself is outside of the one of
    process numbers, and would have to fork once more.

    Args:
        clone: Number of that system call.
    """
    ctypes.pythonapi.PyOS_BeforeFork()
    arguments = map(ctypes.c_long, (clone, FRESH | CHILD_ENDED, 0, 0, 0, 0))
    pid: int = _held.syscall(*arguments)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return pid
    code = ctypes.get_errno()
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    if pid < 0:
        raise NamespaceError(f"clone: {os.strerror(code)}")
    return pid


def map_user(uid: int, gid: int) -> None:
    """Be who we were, in a new user namespace."""
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


def enter_powerless(uid: int, gid: int) -> None:
    """Enter one more user namespace, which owns none of the others, and let it be the last."""
    _write("/proc/sys/user/max_user_namespaces", "1")
    _checked("unshare", NEW_USER)
    map_user(uid, gid)


def mount_private(workspace: str, sizes: dict[str, int]) -> None:
    """Cover what the template sees with what is this candidate's alone.

    Args:
        workspace: Where its workspace goes.
        sizes: `bytes` and `inodes` of the workspace and of the private tmp, each.
    """
    _mount("none", "/", "none", PRIVATE | RECURSIVE)
    _mount("proc", "/proc", "proc", NO_SUID | NO_EXEC | NO_DEVICES)
    _mount("devpts", "/dev/pts", "devpts", NO_SUID | NO_EXEC, "ptmxmode=0666,mode=620")
    options = f"mode=0755,size={sizes['bytes']},nr_inodes={sizes['inodes']}"
    for folder in (workspace, "/tmp"):
        _mount("tmpfs", folder, "tmpfs", NO_SUID | NO_DEVICES, options)


def open_door(address: str) -> _socket.socket:
    """Listen for callers of a broker, which only this candidate can reach.

    Its folder has room for nothing else, and cannot be written to afterwards.

    Args:
        address: Path of the socket.

    Returns:
        The socket, for the host; whoever calls closes it.
    """
    import _socket

    folder, flags = os.path.dirname(address), NO_SUID | NO_DEVICES | NO_EXEC
    _mount("tmpfs", folder, "tmpfs", flags, "mode=0755,nr_inodes=2")
    door = _socket.socket(_socket.AF_UNIX)
    door.bind(address)
    os.chmod(address, 0o600)
    door.listen(WAITING)
    _mount("none", folder, "none", REMOUNT | BIND | READ_ONLY | flags)
    return door


def drop_rights() -> None:
    """Give up every capability, for this process and for all that it starts."""
    number = 0
    while _libc.prctl(DROP_FROM_BOUNDS, number, 0, 0, 0) == 0:
        number += 1
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_V3, 0)
    _checked("capset", header, (ctypes.c_uint32 * 6)())


def end_with_parent() -> None:
    """Be killed when the parent, the template, ends."""
    _checked("prctl", SET_PARENT_DEATH_SIGNAL, KILL, 0, 0, 0)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    names = source.encode(), target.encode(), kind.encode()
    _checked("mount", *names, ctypes.c_ulong(flags), options.encode() or None, about=target)


def _checked(name: str, *arguments: object, about: str = "") -> None:
    if getattr(_libc, name)(*arguments) != 0:
        raise NamespaceError(f"{name} {about}: {os.strerror(ctypes.get_errno())}")


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError as error:
        raise NamespaceError(f"writing {path}: {error.strerror}") from error
