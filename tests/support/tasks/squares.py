"""A task with a verifier and a bound on CPU time: the square of a number, slowly or quickly."""

from collections.abc import Mapping
from pathlib import Path

from hyperspace.tasks.base import SPLITS, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome

SEED = b"""
import os

class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        number = inputs["number"]
        while number == 1:
            pass
        if number == 2:
            os.fork()
        return "9" * 60 if number == 3 else str(number * number), []
"""


class Squares(GradedDomain):
    def verify(self, item: Item, artefact: str) -> Outcome:
        is_right = artefact == str(item.inputs["number"] ** 2)
        return Outcome(float(is_right), reason="" if is_right else "not the square")


def squares(_data: Path | None, _options: Mapping[str, str]) -> Squares:
    """Make the domain."""
    return Squares(
        "squares",
        {split: [Item(f"{split}-{n}", {"number": n + 4}) for n in range(2)] for split in SPLITS},
        smoke_inputs={"number": 7},
        seed_files={"task_agent.py": SEED},
        answer_limits=AnswerLimits(characters=50, cpu_s=1),
    )
