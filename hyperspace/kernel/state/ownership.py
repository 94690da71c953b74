"""Whose a run is: its record is signed with a secret that never lies in a run.

A signature covers the record's bytes and the place of the run: its path, or, where it was moved,
its folder on this machine's disk. So a folder that came from elsewhere has none that holds, even
if it was ours once.
"""

import hmac
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from guards.scope.regular_files import Unreadable, UnsafeTree, check_tree, read_whole
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import (
    canonical_json,
    sha256_hex,
    write_atomically,
    write_synced,
    written_name,
)

SIGNATURE: Final = "run_config.sig"  # beside the record; holds on this machine alone
RECORD: Final = "run_config.json"
_SECRET: Final = "run-secret"  # noqa: S105  the name of its file
_SECRET_BYTES: Final = 32
_ELSEWHERE: Final = "set XDG_STATE_HOME to a folder of yours where the secret can be kept"
_KEPT: Final = 4  # those of the record, and of the one before: a crash may come between


def state_folder() -> Path:
    """Return where this program keeps what is the person's: $XDG_STATE_HOME/hyperspace.

    Raises:
        RunUsageError: There is neither that variable nor a home folder.
    """
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if base.is_absolute():
        return base / "hyperspace"
    try:
        home = Path(os.environ["HOME"]) if "HOME" in os.environ else Path.home()
    except RuntimeError:  # no entry in the user database either
        home = Path()
    if not home.is_absolute():
        raise RunUsageError(
            "runs are signed with a secret of yours, and there is no home folder to keep it in; "
            "set HOME, or XDG_STATE_HOME, to an absolute path"
        )
    return home / ".local" / "state" / "hyperspace"


def sign(run: Path, record: bytes) -> None:
    """Write the signature of a record that is about to be written; the one before it stays valid.

    Raises:
        RunUsageError: There is no place for the secret, or others may read it.
    """
    run.mkdir(parents=True, exist_ok=True)
    lines = [*_signatures(run, record, _secret(make=True)), *_kept(run)]
    write_atomically(run / SIGNATURE, "".join(f"{line}\n" for line in lines[:_KEPT]).encode())


def is_own(run: Path, record_name: str = RECORD) -> bool:
    """Return whether this user began a run, on this machine, and nobody changed its record."""
    try:
        record = read_whole(run / record_name)
        key = _secret(make=False)
    except (Unreadable, RunUsageError):
        return False
    kept = _kept(run)
    return any(
        hmac.compare_digest(signature, line)
        for signature in _signatures(run, record, key)
        for line in kept
    )


def signed(message: bytes) -> str:
    """Return this user's signature of a message; empty where the user has no secret yet."""
    try:
        return hmac.new(_secret(make=False), message, sha256).hexdigest()
    except RunUsageError:
        return ""


def is_signed(message: bytes, signature: str) -> bool:
    """Return whether a signature is this user's, of that message."""
    own = signed(message)
    return bool(own) and hmac.compare_digest(own.encode(), signature.encode())


def enter(run: Path, *, to_write: bool = False, record_name: str = RECORD) -> None:
    """Check what a folder holds before anything else reads it, unless this user began the run.

    Args:
        run: The run folder, or one that may become a run's.
        to_write: Whether the run is gone on with.
        record_name: The file that is signed.

    Raises:
        RunUsageError: It holds links, pipes, or files that are larger than any of a run.
    """
    if is_own(run, record_name):
        return
    try:
        check_tree(run, alone=to_write)
    except UnsafeTree as error:
        raise RunUsageError(
            f"{error}; a run that was not begun here is opened only without such things"
        ) from error


def _signatures(run: Path, record: bytes, key: bytes) -> Iterator[str]:
    """Yield the signature of a record at its path, and in its folder."""
    resolved = run.resolve()
    status = resolved.stat()
    for place in (written_name(str(resolved)), [status.st_dev, status.st_ino]):
        message = canonical_json({"record": sha256_hex(record), "place": place})
        yield hmac.new(key, message, sha256).hexdigest()


def _kept(run: Path) -> list[str]:
    try:
        return read_whole(run / SIGNATURE).decode("ascii", "replace").splitlines()[:_KEPT]
    except Unreadable:
        return []


def _secret(*, make: bool) -> bytes:
    """Return the secret.

    Raises:
        RunUsageError: There is none and none is to be made, or it is not this user's alone.
    """
    path = state_folder() / _SECRET
    if make and not os.path.lexists(path):
        _make_secret(path)
    try:
        status = path.lstat()
    except OSError as error:
        raise RunUsageError(f"{path}: {error.strerror}; {_ELSEWHERE}") from error
    if stat.S_ISREG(status.st_mode) and (
        status.st_mode & 0o077 or status.st_uid not in (os.geteuid(), 0)
    ):
        raise RunUsageError(
            f"{path} signs your runs, and others may read it; delete it, and the next run makes "
            "another (runs that it signed then need --trust)"
        )
    try:
        key = read_whole(path)
    except Unreadable as error:
        raise RunUsageError(f"{path} {error}; {_ELSEWHERE}") from error
    if len(key) != _SECRET_BYTES:
        raise RunUsageError(f"{path} is no secret of this program; delete it")
    return key


def _make_secret(path: Path) -> None:
    """Make the secret, once, whoever else is about to."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        write_synced(temporary, secrets.token_bytes(_SECRET_BYTES))
        with suppress(FileExistsError):  # another start was first
            os.link(temporary, path)
    except OSError as error:
        raise RunUsageError(
            f"runs are signed with a secret of yours, and {path} cannot be made "
            f"({error.strerror}); {_ELSEWHERE}"
        ) from error
    finally:
        with suppress(OSError):  # it was not even made
            temporary.unlink()
