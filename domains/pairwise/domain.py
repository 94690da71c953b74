"""Builds the stand-in for preferences between two answers."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from domains.options import RowsSeed, read_options, refuse_data
from domains.package_files import seed_files, task_files
from domains.pairwise.conversations import MARGIN, draw_pair
from domains.planted import Plan, PlantedTable

_NAME = "pairwise"
_PLAN = Plan(_NAME, ("model_a", "model_b"), draw_pair, MARGIN)


class PairwiseOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of `pairwise`.

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
    rows_seed = read_options(_NAME, options, PairwiseOptions).rows_seed
    return PlantedTable(
        _PLAN, rows_seed, seed_files=seed_files(_NAME), task_files=task_files(_NAME)
    )
