"""Where a run keeps its space: in space.db in its folder, or in a PostgreSQL database."""

import re
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import ConfigMismatch, RunDamaged, RunUsageError
from hyperspace.kernel.files import sha256_hex
from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.ownership import is_own
from hyperspace.options.launch import AnyOptions
from markspace.stores.places import SCHEMES, address_of

OPTION: Final = "space"  # among the recorded options
_LONGEST: Final = 27  # with the hash behind it 40 characters, the most of a space's name
_HASH: Final = 12


def space_of(folder: RunFolder) -> str:
    """Return the path of space.db, or the address of the space in PostgreSQL.

    Raises:
        RunUsageError: The record of somebody else names a server: it would be sent this user's
            password.
    """
    if folder.address is not None:
        return folder.address
    address = None if folder.space.exists() else _recorded(folder)  # an export has its own
    if address is None:
        return str(folder.space)
    if not is_own(folder.root):
        raise RunUsageError(
            f"{folder.root} keeps its space on a server and was not begun by you here, so that "
            "server is not asked; if you trust it, name it: hyperspace resume ADDRESS --trust"
        )
    return address


def with_address(options: AnyOptions, folder: RunFolder, run_place: str) -> AnyOptions:
    """Return options with the address of the run's space, where that is on a server.

    Args:
        options: As asked for.
        folder: Where the run lies, or will.
        run_place: Where it belongs below a results folder.

    Raises:
        ConfigMismatch: The run that is there keeps its space elsewhere.
    """
    wanted = None if options.space is None else named_address(options.space, run_place)
    if folder.record.is_file():
        recorded = read_record(folder.record).options.get(OPTION)
        if wanted not in (None, recorded):
            raise ConfigMismatch(folder.root, OPTION, recorded or folder.space.name, wanted)
        wanted = recorded
    return replace(options, space=wanted)


def has_space(folder: RunFolder) -> bool:
    """Return whether a run has a space, here or on a server."""
    on_server = folder.address or _recorded(folder)
    return on_server is not None or folder.space.exists()


def _recorded(folder: RunFolder) -> str | None:
    """Return the address on record; None if there is none, or no record of ours."""
    try:
        address = decode_json(read_whole(folder.record), dict[str, Any]).get(OPTION)
    except (Unreadable, msgspec.MsgspecError):
        return None
    return address if isinstance(address, str) and is_remote(address) else None


def require_space(folder: RunFolder) -> None:
    """Check that a run whose record is there has its space as well; a server is not asked.

    Raises:
        RunDamaged: It has lost it, or it is empty.
    """
    if is_remote(space_of(folder)) or (folder.space.exists() and folder.space.stat().st_size):
        return
    raise RunDamaged(
        f"{folder.space} is lost, and with it the state of the run; put it back from a copy "
        "of the run folder (with space.db-wal, if there was one) or from an export"
    )


def is_remote(address: str) -> bool:
    """Return whether a space is on a server."""
    return address.startswith(SCHEMES)


def named_address(address: str, run_place: str) -> str:
    """Return an address that names a space: its own, or one that follows from the run.

    Args:
        address: As a person wrote it.
        run_place: The run's place below a results folder, `<domain>/<name>/seed<n>`.
    """
    dsn, space = address_of(address)
    name = space or space_name(run_place)
    return f"{dsn}{'&' if '?' in dsn else '?'}space={name}"


def space_name(run_place: str) -> str:
    """Return the name of a run's space: equal runs have equal names, others have others."""
    words = re.sub(r"[^a-z0-9]+", "_", run_place.lower()).strip("_")
    return f"{words[:_LONGEST]}_{sha256_hex(run_place.encode())[:_HASH]}"
