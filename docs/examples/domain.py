"""A domain in one file: is a parcel light or heavy?

    hyperspace pair --domain docs/examples/domain.py:parcels --models offline/tinker offline/magpie

The seed draws the line in the wrong place, and agents find a better one. The contract is
`hyperspace.tasks.base.Domain`; `TableDomain` keeps it for labelled rows.
"""

from collections.abc import Mapping
from pathlib import Path
from random import Random

from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.table import Row, TableDomain

LINE_KG = 5.0
SEED = b'''"""Judges a parcel by its weight."""

LINE_KG = 3.0


class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        return "heavy" if inputs["kg"] > LINE_KG else "light", []
'''


def parcels(_data: Path | None, _options: Mapping[str, str]) -> TableDomain:
    """Make the domain; it reads no folder and has no options."""
    return TableDomain(
        "parcels",
        {split: _rows(split) for split in SPLITS},
        smoke_inputs={"kg": 1.0},
        calls_model=False,
        seed_files={"task_agent.py": SEED},
    )


def _rows(split: Split) -> list[Row]:
    weights = Random(split)  # noqa: S311 - equal rows in every process, no secret
    drawn = [round(weights.uniform(0, 10), 1) for _ in range(40)]
    return [
        Row(f"{split}-{n}", {"kg": kg}, "heavy" if kg > LINE_KG else "light")
        for n, kg in enumerate(drawn)
    ]
