"""Two tasks with public scorers, laid out as a workspace, and a way to evolve agents on them.

`OFFSETS` asks for numbers that the seed has at zero or with the wrong sign. `ROUTES` asks for a
list of steps: some too many, and not in order.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hyperspace.offline.planned import OfflinePolicy
from tests.support.runs.simulation import Said, converse


class ScoredTask(NamedTuple):
    seed: str
    score: str
    items: Sequence[Mapping[str, Any]]

    def value(self, code: str) -> float:
        """Mean score of a task agent on all items."""
        space: dict[str, Any] = {"__name__": "task_agent"}
        exec(code, space)  # noqa: S102 - the policies' own edits of our seed
        scorer: dict[str, Any] = {"__name__": "score"}
        exec(self.score, scorer)  # noqa: S102 - ours
        scores: list[float] = []
        for inputs in self.items:
            with contextlib.suppress(ArithmeticError, ValueError, TypeError):
                agent = space["TaskAgent"]("offline")
                if "play" in scorer:
                    scores.append(scorer["play"](inputs, agent))
                else:
                    scores.append(scorer["score"](inputs, agent.forward(dict(inputs))[0]))
        return sum(scores) / len(self.items)

    def lay_out(self, folder: Path, codes: Sequence[str]) -> None:
        """Write a workspace: the latest code, the earlier versions, the items, the scorer."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "task").mkdir()
        (folder / "task" / "score.py").write_text(self.score)
        (folder / "task_agent.py").write_text(codes[-1])
        (folder / "evals").mkdir()
        rows = [json.dumps({"id": f"train-{n}", "inputs": i}) for n, i in enumerate(self.items)]
        (folder / "evals" / "train_items.jsonl").write_text("\n".join(rows))
        for number, code in enumerate(codes):
            write_version(folder / "evals" / f"gen_{number}", code, number, self.value(code))
            report = folder / "evals" / f"gen_{number}" / "eval_train" / "report.json"
            report.parent.mkdir()
            report.write_text(json.dumps({"higher_is_better": True}))

    def evolve(
        self, policy: OfflinePolicy, folder: Path, generations: int, seed: int = 1
    ) -> list[str]:
        """The codes of an agent alone, its seed first."""
        codes = [self.seed]
        for number in range(generations):
            space = folder / str(number)
            self.lay_out(space, codes)
            converse(policy, space, seed * 100 + number)
            codes.append((space / "task_agent.py").read_text())
        return codes


def write_version(folder: Path, code: str, generation: int, val: float, agent: str = "") -> None:
    folder.mkdir(parents=True)
    (folder / "task_agent.py").write_text(code)
    scores = {"generation": generation, "val_score": val, "train_score": val, "valid": True}
    (folder / "metadata.json").write_text(json.dumps(scores | ({"agent": agent} if agent else {})))


def say(policy: OfflinePolicy, task: ScoredTask, space: Path, seed: int = 1) -> Said:
    """One generation on the seed."""
    task.lay_out(space, [task.seed])
    return converse(policy, space, seed)


OFFSETS = ScoredTask(
    seed='''"""A line."""

SLOPE = 0.0
OFFSET = 0
BEND = -0.5


class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        x = inputs["x"]
        return str(SLOPE * x + OFFSET + BEND * x * x), []
''',
    score="""
def score(inputs, prediction):
    x = inputs["x"]
    return 1 - abs(float(prediction) - (1.5 * x + 3 + 0.4 * x * x)) / 12
""",
    items=[{"x": x / 2} for x in range(-6, 7)],
)

ROUTES = ScoredTask(
    seed='''"""A way through a grid, as steps."""

STEPS = [
    (0, 1),
    (2, 0),
    (0, 2),  # too far
    (-1, 0),
    (1, 1),
    (0, -2),
    (1, 0),
]


class TaskAgent:
    def __init__(self, model, log_file=""):
        self.at = 0

    def forward(self, observation):
        step = STEPS[self.at] if self.at < len(STEPS) else (0, 0)
        self.at += 1
        return f"{step[0]} {step[1]}", []
''',
    score="""
def play(inputs, agent):
    x = y = near = 0
    goals = [tuple(goal) for goal in inputs["goals"]]
    for number in range(8):
        action, history = agent.forward({"x": x, "y": y})
        dx, dy = action.split()
        x, y = x + int(dx), y + int(dy)
        if number < len(goals):
            near += 1 / (1 + abs(x - goals[number][0]) + abs(y - goals[number][1]))
        elif (dx, dy) != ("0", "0"):
            near -= 0.2
    return max(0.0, near / len(goals))
""",
    items=[{"goals": [[2, 0], [2, 1], [3, 2], [4, 2]]}],
)
