"""A task whose task agent asks a model, remembers what it was asked before, and dies now and then.

`--domain tests/support/tasks/asking.py:asking`, with `?dies=N` of the 14 validation items ending
the sandbox (at least 3 make the candidate invalid). What it says depends on how many items its
process has answered, so it tells how items were shared out.
"""

from collections.abc import Mapping
from pathlib import Path

from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.table import Row, TableDomain

ITEMS = 14
SEED = b'''"""Asks for each number."""

import os

from agent.llm_client import chat


ASKED = []  # outlives one item: a worker's process answers several


class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        ASKED.append(inputs["number"])
        history = [{"role": "user", "content": f"So far: {ASKED}"}]
        history.append(chat(history, self.model))
        if inputs["dies"]:
            os._exit(1)
        return f"{len(ASKED)} {inputs['number'] % 3 == 0}", history
'''


def asking(data: Path | None, options: Mapping[str, str]) -> TableDomain:
    """Make the domain."""
    dies = int(options.get("dies", "0"))
    return TableDomain(
        "asking",
        {split: _rows(split, dies if split == "val" else 0) for split in SPLITS},
        smoke_inputs={"number": 0, "dies": False},
        seed_files={"task_agent.py": SEED},
    )


def _rows(split: Split, dies: int) -> list[Row]:
    return [
        Row(f"{split}-{i}", {"number": i, "dies": ITEMS - i <= dies}, f"{1 + i % 2} true")
        for i in range(ITEMS)
    ]
