"""One try of the offline worker `heeding` on the domain panel, with advice of a choice."""

import json
from pathlib import Path
from typing import Any

from hyperspace.offline.policies.heeding import Heeding
from hyperspace.offline.policies.reviewer import advise
from hyperspace.tasks.registry import load
from tests.support.runs.simulation import Generation, answer_here, converse, lay_out, score

KINDS = 8


def tries(domain: Any, made: Generation) -> list[dict[str, Any]]:
    labels = domain.labels("train")
    failing = [
        {
            "id": item.id,
            "inputs": dict(item.inputs),
            "label": labels[item.id],
            "prediction": made.predictions[item.id],
        }
        for item in domain.items("train")
        if made.predictions[item.id] != labels[item.id]
    ]
    return [{"try": 0, "of": None, "valid": True, "kept": True, "failing": failing}]


class Told:
    """A task, its seed, and the advice that is true of it."""

    def __init__(self, rows_seed: int) -> None:
        self.domain = load(f"panel?kinds={KINDS}&rows_seed={rows_seed}")
        self.code = self.domain.seed_files()["task_agent.py"].decode()
        self.first = score(self.domain, 0, self.code, answer_here)
        self.advice = advise(tries(self.domain, self.first), self.code)

    @property
    def worst(self) -> str:
        return str(self.advice["issue_type"]).split()[-1]

    def right_of_worst(self, made: Generation) -> float:
        """Share of the train items of the class that failed most which a generation has right."""
        labels = self.domain.labels("train")
        items = [i for i in self.domain.items("train") if i.inputs["kind"] == self.worst]
        return sum(made.predictions[i.id] == labels[i.id] for i in items) / len(items)

    def heeded(self, space: Path, advice: dict[str, Any]) -> Generation:
        """The generation that follows from some advice."""
        lay_out(space, self.domain, [self.first], [])
        told = f"```json\n{json.dumps(advice)}\n```\n"
        said = converse(Heeding(trials=30), space, 1, told)
        return score(self.domain, 1, (space / "task_agent.py").read_text(), answer_here, said)
