"""The filter for the system calls of code inside, as a program for the kernel (classic BPF).

Namespaces and dropped capabilities are the walls; the filter takes away what could be used to dig.
It lets the calls of a table pass, some of them by their arguments, and refuses all others: with
EPERM, or with ENOSYS what newer kernels added, so that libraries fall back to what older ones have.
"""

import errno
import os
import platform
import struct
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from guards.sandboxes.bubblewrap.system_calls import ABSENT, ALLOWED, Numbers
from guards.sandboxes.sandbox import SandboxUnavailable

# Kernel constants: linux/seccomp.h, linux/audit.h, linux/sched.h, linux/fcntl.h, asm/ioctls.h,
# asm-generic/mman-common.h.
ALLOW = 0x7FFF0000
REFUSE = 0x00050000
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT, ARGUMENT_BYTES = 0, 4, 16, 8
CLONE_NEW_ANY = 0x7E020000
AF_UNIX = 1
TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
# Leases make others wait for a file, F_NOTIFY tells who uses a folder, larger pipes take from what
# all sandboxes share: all stand from 1024 on.
LINUX_COMMANDS, DUPLICATE = 1024, 1030  # F_DUPFD_CLOEXEC
NEWER_ADVICE = 20  # MADV_COLD, MADV_PAGEOUT: put pages of files that others use out of memory
FIRST_NEW = 424  # from here on a number is the same call everywhere; C libraries do without

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06


class Machine(NamedTuple):
    """A processor architecture.

    Attributes:
        architecture: Its audit number.
        column: Where its numbers stand in the table.
    """

    architecture: int
    column: int


MACHINES = {"x86_64": Machine(0xC000003E, 0), "aarch64": Machine(0xC00000B7, 1)}


@cache
def filter_for(machine: str) -> bytes:
    """The filter program for an architecture, as the kernel and bubblewrap take it.

    Raises:
        SandboxUnavailable: We have no table for that architecture.
    """
    if machine not in MACHINES:
        names = ", ".join(MACHINES)
        raise SandboxUnavailable(f"no system call filter for {machine}; there is one for {names}")
    return b"".join(_program(machine))


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


def numbers(calls: Mapping[str, Numbers], machine: str) -> dict[str, int]:
    """Numbers of calls on an architecture, without those that it does not have."""
    column = MACHINES[machine].column
    return {name: number for name, row in calls.items() if (number := row[column]) is not None}


def _program(machine: str) -> Iterable[bytes]:
    yield _step(LOAD, ARCHITECTURE_AT)
    yield from _unless(EQUAL, MACHINES[machine].architecture, _refuse(errno.EPERM))
    yield _step(LOAD, NUMBER_AT)
    allowed = numbers(ALLOWED, machine)
    for name, argument, checks in _checked_arguments():
        yield from _call(allowed[name], FIRST_ARGUMENT_AT + argument * ARGUMENT_BYTES, checks)
    yield from _verdicts(set(allowed.values()), set(numbers(ABSENT, machine).values()))


def _checked_arguments() -> Iterable[tuple[str, int, list[bytes]]]:
    """Calls with good and bad uses: name, argument that tells them apart, steps on its value."""
    only_unix = _unless(EQUAL, AF_UNIX, _refuse(errno.EAFNOSUPPORT))
    yield "clone", 0, _when(ANY_BIT, CLONE_NEW_ANY, _refuse(errno.EPERM))
    yield "socket", 0, only_unix
    yield "socketpair", 0, only_unix
    typing = [_when(EQUAL, code, _refuse(errno.EPERM)) for code in TERMINAL_INJECTION]
    yield "ioctl", 1, [step for steps in typing for step in steps]
    duplicate = _when(EQUAL, DUPLICATE, _step(RETURN, ALLOW))
    yield "fcntl", 1, duplicate + _when(AT_LEAST, LINUX_COMMANDS, _refuse(errno.EPERM))
    yield "madvise", 2, _when(AT_LEAST, NEWER_ADVICE, _refuse(errno.EINVAL))


def _verdicts(allowed: set[int], absent: set[int]) -> Iterable[bytes]:
    """Steps from the lowest number up, one for each stretch of numbers with the same verdict."""

    def verdict(number: int) -> bytes:
        if number in allowed:
            return _step(RETURN, ALLOW)
        return _refuse(errno.ENOSYS if number >= FIRST_NEW or number in absent else errno.EPERM)

    for number, following in pairwise(range(max(allowed) + 2)):
        if verdict(number) != verdict(following):
            yield from _unless(AT_LEAST, following, verdict(number))
    # Also the calls of x32, which are numbered from 0x40000000 on.
    yield _refuse(errno.ENOSYS)


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
