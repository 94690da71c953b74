"""A game of a few lines: walk a corridor to its door. `?seed=FLAW` starts agents that misbehave.

`fragile=ID` names the episode whose environment dies at its third step.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hyperspace.tasks.base import SPLITS, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.shapes.interactive import Episode, EpisodeFailed
from hyperspace.tasks.shapes.outcome import Outcome

EPISODES = {"train": 12, "val": 10, "test": 6}
STEPS = 20
HEAD = """
import os, time

class TaskAgent:
    def __init__(self, model, log_file=""):
        self.steps = 0

    def forward(self, seen):
        self.steps += 1
"""
FLAWS = {
    "": "return 'right' if seen['ahead'] % 5 else 'left' if self.steps % 2 else 'right', []",
    "best": "return 'right', []",
    "raises": "return 'right' if seen['ahead'] != 3 else 1 / 0, []",
    "exits": "return 'right' if seen['ahead'] != 3 else os._exit(3), []",
    "exits_once": "return 'right' if seen['name'] != 4 or self.steps < 3 else os._exit(3), []",
    "nonsense": "return 'fly' * (self.steps % 2) or 'right', []",
    "number": "return 7, []",
    "shared": "global LAST; LAST = seen['ahead']; return 'right' if LAST else 'left', []",
}


class CorridorWalk:
    """One walk; the door is at the end."""

    def __init__(self, length: int, name: int, dies: bool) -> None:
        self.length, self.name, self.dies = length, name, dies
        self.at = self.steps = self.illegal = 0

    def observe(self) -> dict[str, Any] | None:
        if self.at >= self.length or self.steps >= STEPS:
            return None
        return {"ahead": self.length - self.at, "name": self.name}

    def act(self, action: str) -> None:
        self.steps += 1
        if self.dies and self.steps == 3:
            raise EpisodeFailed("a stone fell")
        self.illegal += action not in ("left", "right")
        self.at = max(0, self.at + {"left": -1, "right": 1}.get(action, 0))

    def outcome(self) -> Outcome:
        details = {"steps": self.steps, "illegal": self.illegal}
        return Outcome(self.at / self.length, details=details)

    def draw(self) -> str:
        return "." * self.at + "@" + "." * (self.length - self.at) + "|"

    def close(self) -> None:
        pass


class Corridor(GradedDomain):
    """A `GradedDomain` of walks."""

    fragile = ""

    def open(self, item: Item) -> Episode:
        number = int(item.id.rpartition("-")[2])
        return CorridorWalk(item.inputs["length"], number, item.id == self.fragile)

    def renewed(self, epoch: int) -> "Corridor":
        lengths = [8 + epoch] * EPISODES["val"] if epoch else []
        fresh = [Item(f"val{epoch}-{n}", {"length": each}) for n, each in enumerate(lengths)]
        return self.with_items({"val": fresh}) if epoch else self


def corridor(_data: Path | None, options: Mapping[str, str]) -> Corridor:
    """Make the domain."""
    code = HEAD + "        " + FLAWS[options.get("seed", "")] + "\n"
    domain = Corridor(
        "corridor",
        {
            split: [
                Item(f"{split}-{n}", {"length": 5 + (3 * n) % 7}) for n in range(EPISODES[split])
            ]
            for split in SPLITS
        },
        smoke_inputs={"ahead": 9, "name": -1},
        seed_files={"task_agent.py": code.encode()},
        task_files={"README.md": b"Walk to the door.\n"},
    )
    domain.fragile = options.get("fragile", "")
    return domain
