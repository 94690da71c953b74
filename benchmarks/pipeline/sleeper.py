"""A task whose answers take a known time: each item says for how long to sleep."""

from collections.abc import Mapping
from pathlib import Path

from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.table import Row, TableDomain

ITEM_S = 0.1  # one item of train and one of validation: an evaluation takes twice that
SEED = '''\
"""Sleeps as long as its input says."""

import time


class TaskAgent:
    """Answers every item alike."""

    def __init__(self, model, log_file=""):
        """Need nothing."""

    def forward(self, inputs):
        """Return the prediction and the (empty) conversation."""
        time.sleep(inputs["seconds"])
        return "yes", []
'''


def sleeper(_data: Path | None, _options: Mapping[str, str]) -> TableDomain:
    """Return a task of one item a split that any agent solves in `ITEM_S`."""
    rows: dict[Split, tuple[Row, ...]] = {
        split: (Row(f"{split}-0", {"seconds": ITEM_S}, "yes"),) for split in SPLITS
    }
    return TableDomain(
        "sleeper",
        rows,
        smoke_inputs={"seconds": 0.0},
        staged_items=1,
        calls_model=False,
        seed_files={"task_agent.py": SEED.encode()},
    )
