"""Builds the stand-in for reviews of papers."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from domains.accept.abstracts import MARGIN, draw_abstract
from domains.options import RowsSeed, read_options, refuse_data
from domains.package_files import seed_files, task_files
from domains.planted import Plan, PlantedTable

_NAME = "accept"
_PLAN = Plan(_NAME, ("accept", "reject"), draw_abstract, MARGIN)


class AcceptOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of `accept`.

    Attributes:
        rows_seed: Seed of the rows.
    """

    rows_seed: RowsSeed = 1


def make(data: Path | None, options: Mapping[str, str]) -> PlantedTable:
    """Make the domain; equal options give equal rows everywhere.

    Raises:
        DomainDataError: An option is unknown, its value does not fit, or there is a folder.
    """
    refuse_data(_NAME, data)
    rows_seed = read_options(_NAME, options, AcceptOptions).rows_seed
    return PlantedTable(
        _PLAN, rows_seed, seed_files=seed_files(_NAME), task_files=task_files(_NAME)
    )
