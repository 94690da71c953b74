"""A run that is gone on with from its space on a server, where its folder is not."""

from argparse import ArgumentTypeError
from pathlib import Path

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.remote.kept_folder import kept_at, restore_folder
from hyperspace.kernel.state.remote.place import OPTION
from hyperspace.options.values import checked_address
from markspace.errors import PlaceError
from markspace.stores.places import FORM, address_of


def folder_from_server(address: str, results: Path) -> Path:
    """Make the folder of a run that a server keeps, unless it is there; return where it is.

    Args:
        address: Of its space, which it names.
        results: Folder that runs are put into.

    Raises:
        PlaceError: It names no space, or holds a password.
        RunUsageError: The space holds no run, or another run is where its folder belongs.
        StoreError: The server cannot be asked.
        RunDamaged: The space is none of ours.
    """
    try:
        checked_address(address)
    except ArgumentTypeError as error:
        raise PlaceError(str(error)) from None
    space = address_of(address).space
    if space is None:
        raise PlaceError(
            f"a run is gone on with from the address of its space, {FORM}, as its "
            "run_config.json names it"
        )
    kept = kept_at(address)
    if kept is None:
        raise RunUsageError(
            f"the space {space!r} on this server holds no run that was begun; the "
            "run_config.json of a run says where its space is"
        )
    folder = RunFolder(results / kept.run_place, address)
    restore_folder(folder)
    there = read_record(folder.record).options.get(OPTION)
    if there is None or address_of(there).space != space:
        raise RunUsageError(
            f"{folder.root} holds another run than the space {space!r}; use another --results "
            "folder"
        )
    return folder.root
