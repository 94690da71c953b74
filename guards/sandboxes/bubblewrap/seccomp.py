"""The system calls that code inside may not make, as a filter for the kernel (classic BPF).

Namespaces and dropped capabilities are the walls; the filter takes away what could be used to dig:
kernel interfaces with a long record of faults, memory that no limit counts, and address families
that network namespaces do not confine.
"""

import errno
import os
import platform
import struct
from collections.abc import Iterable
from typing import NamedTuple

from guards.sandboxes.sandbox import SandboxUnavailable

# Kernel constants: linux/seccomp.h, linux/audit.h, linux/sched.h, asm/ioctls.h.
ALLOW = 0x7FFF0000
REFUSE = 0x00050000
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT, SECOND_ARGUMENT_AT = 0, 4, 16, 24
X32_BIT = 0x40000000
CLONE_NEW_ANY = 0x7E020000
AF_UNIX = 1
TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06


class Machine(NamedTuple):
    """System call numbers of one processor architecture.

    Attributes:
        architecture: Its audit number.
        refused: Numbers of the calls that are refused altogether.
        clone: Number of `clone`; the other fields likewise.
    """

    architecture: int
    refused: tuple[int, ...]
    clone: int
    ioctl: int
    socket: int
    socketpair: int


CLONE3 = 435
# Numbers that are the same everywhere: io_uring, the newer mount calls, pidfd_getfd, quotactl_fd,
# memfd_secret, statmount, listmount.
UNIFIED = (*range(425, 434), 438, 442, 443, 447, 457, 458)
# name: (x86_64, aarch64)
CALLS: dict[str, tuple[int, int]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "move_pages": (279, 239),
    # Memory that outlives its maker or that no resource limit counts.
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
}
X86_64_ONLY = (154, 172, 173)  # modify_ldt, iopl, ioperm
MACHINES = {
    "x86_64": Machine(
        0xC000003E,
        (*(numbers[0] for numbers in CALLS.values()), *X86_64_ONLY, *UNIFIED),
        clone=56,
        ioctl=16,
        socket=41,
        socketpair=53,
    ),
    "aarch64": Machine(
        0xC00000B7,
        (*(numbers[1] for numbers in CALLS.values()), *UNIFIED),
        clone=220,
        ioctl=29,
        socket=198,
        socketpair=199,
    ),
}


def filter_for(machine: str) -> bytes:
    """The filter program for an architecture, as the kernel and bubblewrap take it.

    Raises:
        SandboxUnavailable: We have no table for that architecture.
    """
    if machine not in MACHINES:
        names = ", ".join(MACHINES)
        raise SandboxUnavailable(f"no system call filter for {machine}; there is one for {names}")
    return b"".join(_program(MACHINES[machine]))


def filter_descriptor() -> int:
    """An open descriptor from which this machine's filter can be read once; the caller closes it.

    Raises:
        SandboxUnavailable: We have no table for this architecture.
    """
    program = filter_for(platform.machine())
    handle = os.memfd_create("seccomp")
    os.write(handle, program)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


def _program(machine: Machine) -> Iterable[bytes]:
    yield _step(LOAD, ARCHITECTURE_AT)
    yield from _unless(EQUAL, machine.architecture, _refuse(errno.EPERM))
    yield _step(LOAD, NUMBER_AT)
    if machine.architecture == MACHINES["x86_64"].architecture:
        yield from _when(AT_LEAST, X32_BIT, _refuse(errno.ENOSYS))
    for number in machine.refused:
        yield from _when(EQUAL, number, _refuse(errno.EPERM))
    # Its flags lie in memory, where a filter cannot look; callers fall back to clone.
    yield from _when(EQUAL, CLONE3, _refuse(errno.ENOSYS))
    yield from _arguments(machine)
    yield _step(RETURN, ALLOW)


def _arguments(machine: Machine) -> Iterable[bytes]:
    no_namespaces = _when(ANY_BIT, CLONE_NEW_ANY, _refuse(errno.EPERM))
    only_unix = _unless(EQUAL, AF_UNIX, _refuse(errno.EAFNOSUPPORT))
    no_injection = [
        step for code in TERMINAL_INJECTION for step in _when(EQUAL, code, _refuse(errno.EPERM))
    ]
    yield from _call(machine.clone, FIRST_ARGUMENT_AT, no_namespaces)
    yield from _call(machine.socket, FIRST_ARGUMENT_AT, only_unix)
    yield from _call(machine.socketpair, FIRST_ARGUMENT_AT, only_unix)
    yield from _call(machine.ioctl, SECOND_ARGUMENT_AT, no_injection)


def _call(number: int, argument_at: int, checks: list[bytes]) -> list[bytes]:
    body = [_step(LOAD, argument_at), *checks, _step(RETURN, ALLOW)]
    return [_step(EQUAL, number, 0, len(body)), *body]


def _when(test: int, value: int, then: bytes) -> list[bytes]:
    return [_step(test, value, 0, 1), then]


def _unless(test: int, value: int, then: bytes) -> list[bytes]:
    return [_step(test, value, 1, 0), then]


def _refuse(error: int) -> bytes:
    return _step(RETURN, REFUSE | error)


def _step(code: int, value: int, skip_if_true: int = 0, skip_if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, skip_if_true, skip_if_false, value)
