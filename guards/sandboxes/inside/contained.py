"""Runs before `init` where a container runtime, not bubblewrap, is what started us.

The host passes this source on the command line (`python -c`), and as arguments the system call
filter in hexadecimal, whether memory of the first process is to be closed (`1` or `0`), and the
source of `init`. A runtime has a filter of its own; ours comes on top of it.
"""

from __future__ import annotations

import ctypes
import os
import sys

SET_DUMPABLE, SET_SECCOMP, SET_NO_NEW_PRIVS = 4, 22, 38
FILTER = 2
INSTRUCTION_BYTES = 8

_libc = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
    """A filter as the kernel takes it: number of instructions, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def control(option: int, *arguments: object) -> None:
    """Call prctl; an error ends the start."""
    if _libc.prctl(option, *arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl {option}: {os.strerror(code)}")


def install(code: bytes) -> None:
    """Put the filter in force for this process and all that come of it."""
    control(SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    program = Program(len(code) // INSTRUCTION_BYTES, code)
    control(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0)


def close_memory() -> None:
    """Let no other process of our user into this one's memory; its children are open again."""
    control(SET_DUMPABLE, 0, 0, 0, 0)
    os.register_at_fork(after_in_child=lambda: control(SET_DUMPABLE, 1, 0, 0, 0))


if __name__ == "__main__":
    _code, _close, _init = sys.argv[1:]
    sys.argv[1:] = []
    if _close == "1":
        close_memory()
    if _code:
        install(bytes.fromhex(_code))
    exec(compile(_init, "<init>", "exec"), globals())
