"""What killed coordinators left on this machine, and who lives: told by locks in our own folder.

A coordinator holds a file named after its run's label for as long as it lives. A file that nobody
holds is a killed one's: the next start of any run ends what it left running and removes its
folders, control groups and containers.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path
from typing import Final

import msgspec

from guards.parsing import decode_json
from guards.sandboxes.choose import BOUNDARIES
from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Sandbox, SandboxError
from guards.sandboxes.sweep import marker
from hyperspace.broker.socket_folder import sweep_socket_folders
from hyperspace.kernel.files import canonical_json

_SUFFIX: Final = ".held"
_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_BYTES: Final = 10_000


class Holding(msgspec.Struct, frozen=True):
    """What a coordinator works with.

    Attributes:
        label: Of its run.
        sandbox: Name of the sandbox that it uses.
    """

    label: str
    sandbox: str


@contextmanager
def held(label: str, sandbox: Sandbox) -> Generator[None]:
    """Sweep what is nobody's any more, then say that a run is worked on."""
    sweep_abandoned()
    path = own_folder() / f"{marker(label)}{_SUFFIX}"
    handle = _shared(path)
    try:
        os.pwrite(handle, canonical_json(Holding(label, sandbox.name)), 0)
        yield
    finally:
        _forget(path, handle)


def sweep_abandoned() -> None:
    """Remove what was left by coordinators that were killed and whose runs nobody took up."""
    for path in own_folder().glob(f"*{_SUFFIX}"):
        with suppress(OSError, SandboxError):  # somebody holds it, or the next start has to
            handle = os.open(path, _FLAGS & ~os.O_CREAT)
            try:
                flock(handle, LOCK_EX | LOCK_NB)
                _sweep(os.pread(handle, _MOST_BYTES, 0))
                path.unlink()
            finally:
                os.close(handle)


def _sweep(content: bytes) -> None:
    try:
        left = decode_json(content, Holding)
    except msgspec.DecodeError:  # killed before it had said, and begun, anything
        return
    if left.sandbox == ProcessSandbox.name:
        ProcessSandbox().sweep(left.label)
    elif left.sandbox in BOUNDARIES:
        BOUNDARIES[left.sandbox].make().sweep(left.label)
    sweep_socket_folders(left.label)


def _shared(path: Path) -> int:
    """Open a file and hold it, together with whoever else works under its label."""
    while True:
        handle = os.open(path, _FLAGS, 0o600)
        flock(handle, LOCK_SH)
        with suppress(FileNotFoundError):  # it was swept while we waited
            if os.path.samestat(os.fstat(handle), path.lstat()):
                return handle
        os.close(handle)


def _forget(path: Path, handle: int) -> None:
    with suppress(OSError):  # somebody else works under the label, too
        flock(handle, LOCK_EX | LOCK_NB)
        path.unlink()
    os.close(handle)
