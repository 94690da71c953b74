"""`--data` of commands on runs that are there: where their data lie now."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from hyperspace.kernel.errors import RunUsageError


def add_moved_data(parser: argparse.ArgumentParser) -> None:
    """Add the option, whose value is all that was said."""
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="DIR",
        help="the domain's data, if it has moved; of a research run NAME=FOLDER, repeatable",
    )


def domain_data(said: Sequence[str]) -> Path | None:
    """Return the folder of a run's domain; None where nothing was said.

    Raises:
        RunUsageError: Several were named.
    """
    if len(said) > 1:
        raise RunUsageError("--data names several folders, and the run has one; name that one")
    return Path(said[0]) if said else None


def research_data(said: Sequence[str]) -> dict[str, Path]:
    """Return the folders of a research run that were named, by their names.

    Raises:
        RunUsageError: One is not NAME=FOLDER, or has a name twice.
    """
    from hyperspace.research.loop.options import data_folder, data_folders

    try:
        return data_folders([data_folder(text) for text in said])
    except ValueError as error:
        raise RunUsageError(f"--data: {error}, as data of a research run are named") from None
