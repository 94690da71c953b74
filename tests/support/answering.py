"""Lets task agents that ask a model answer items: a fresh interpreter, a real broker."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio

from hyperspace.broker.broker import Broker
from hyperspace.lookup.offline import OfflineModel
from hyperspace.offline.planned import OfflinePolicy
from hyperspace.tasks.base import Domain, Split
from hyperspace.tracing.traces import Recorder
from tests.support.agent_workspace import make_workspace, run_inside

_MODEL = "offline/judge"
_PROGRAM = f"""
import json
from task_agent import TaskAgent
agent = TaskAgent({_MODEL!r})
items = json.load(open("items.json"))
answers = {{name: agent.forward(inputs)[0] for name, inputs in items.items()}}
print(json.dumps(answers))
"""


class Answering:
    """Predicts with a task agent whose model is an offline policy."""

    def __init__(self, judge: OfflinePolicy, most_items: int) -> None:
        self._judge = judge
        self._most_items = most_items

    def __call__(self, domain: Domain, split: Split, code: str) -> Mapping[str, str]:
        """Answer the first items of a split."""
        items = {i.id: i.inputs for i in domain.items(split)[: self._most_items]}
        with tempfile.TemporaryDirectory() as folder:
            space = make_workspace(Path(folder))
            (space / "task_agent.py").write_text(code, "utf-8")
            (space / "items.json").write_text(json.dumps(items))
            return json.loads(anyio.run(self._answers, space))

    async def _answers(self, space: Path) -> str:
        model = OfflineModel(_MODEL, self._judge)
        with Recorder(space / "trace.jsonl") as recorder:
            async with Broker(model, recorder) as broker:
                return await run_inside(space, _PROGRAM, broker)
