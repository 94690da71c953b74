"""A task whose task agent throws dice: its answers vary from evaluation to evaluation.

`--domain tests/support/tasks/dicing.py:dicing`; with `?how=asks` it asks a model first, with
`?how=errs` it fails on one item, and with `?how=runs` a scoring sandbox runs a program beside it.
Validation items can be drawn anew.
"""

from collections.abc import Mapping
from pathlib import Path

from hyperspace.tasks.base import SPLITS, Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.shapes.verified import Execution, Runner

ITEMS = 8
SEED = '''"""Throws dice."""

import random

from agent.llm_client import chat


class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        how = "HOW"
        if how == "asks":
            chat([{"role": "user", "content": "Which number?"}], self.model)
        if how == "errs" and inputs["number"] == 3:
            raise ValueError("not a three")
        return random.SystemRandom().randbytes(8).hex(), []
'''


class Dicing(GradedDomain):
    """The first letter decides."""

    def verify(self, item: Item, artefact: str) -> Outcome:
        assert item.id
        return Outcome(int(artefact[0], 16) / 15)

    def renewed(self, epoch: int) -> "Dicing":
        return self.with_items({"val": _items("val", epoch)}) if epoch else self


class Running(GradedDomain):
    """A program in a sandbox has its say too."""

    tools: tuple[str, ...] = ()

    async def verify_in_sandbox(self, _item: Item, artefact: str, run: Runner) -> Outcome:
        program = Execution(files={"a.py": b"print(1)"}, steps=(("{python}", "a.py"),))
        done = await run(program)
        return Outcome(int(artefact[0], 16) / 15, reason=done.error)


def dicing(_data: Path | None, options: Mapping[str, str]) -> GradedDomain:
    """Make the domain."""
    how = options.get("how", "")
    kind, seed = Running if how == "runs" else Dicing, SEED.replace("HOW", how)
    return kind(
        "dicing",
        {split: _items(split, 0) for split in SPLITS},
        smoke_inputs={"number": 0},
        seed_files={"task_agent.py": seed.encode()},
    )


def _items(split: Split, epoch: int) -> list[Item]:
    return [Item(f"{split}{epoch}-{n}", {"number": n + 100 * epoch}) for n in range(ITEMS)]
