"""A task whose answers a model grades: is a line an answer? The prompt suits `offline/grader`."""

import re
from collections.abc import Mapping
from pathlib import Path

from hyperspace.tasks.base import SPLITS, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.shapes.outcome import Outcome

SEED = b"""
class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        return f"The sum of {inputs['a']} and {inputs['b']} is {inputs['a'] + inputs['b']}.", []
"""
QUESTION = """Grade the answer: correct, partial or incorrect.

The input of the task:
```
{inputs}
```

Give your answer as a JSON object with one key between tags, like this:
<json>
{{"response": ...}}
</json>"""
POINTS = {"incorrect": 0.25, "partial": 0.5, "correct": 1.0}


class Essays(GradedDomain):
    readable = True

    def question(self, item: Item, answer: str) -> str:
        return QUESTION.format(inputs={**item.inputs, "answer": answer})

    def judgement(self, item: Item, reply: str) -> Outcome | None:
        match = re.search(r'"response": "(\w+)"', reply)
        label = match[1] if match else ""
        return Outcome(POINTS[label], reason=label) if label in POINTS and self.readable else None

    def worst(self, item: Item) -> Outcome:
        return Outcome(0.0, reason="the judge gave no grade", details={"unreadable": 2})


def essays(_data: Path | None, options: Mapping[str, str]) -> Essays:
    """Make the domain; with `?readable=no` every reply of the judge counts as nonsense."""
    domain = Essays(
        "essays",
        {
            split: [Item(f"{split}-{n}", {"a": n, "b": len(split)}) for n in range(4)]
            for split in SPLITS
        },
        smoke_inputs={"a": 1, "b": 1},
        staged_items=0,
        seed_files={"task_agent.py": SEED},
    )
    domain.readable = options.get("readable") != "no"
    return domain
