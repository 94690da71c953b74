"""The small workspaces in which attacks are played."""

from collections.abc import Mapping
from textwrap import indent

from guards.sandboxes.sandbox import Limits

TASK = """\
class TaskAgent:
    def __init__(self, model):
        pass

    def forward(self, inputs):
        return str(inputs.get("q")), []
"""
META = """\
class MetaAgent:
    def __init__(self, model):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        pass
"""
PEER = "strategies/peer_gen1/task_agent.py"
FILES: Mapping[str, bytes] = {
    "task_agent.py": TASK.encode(),
    "meta_agent.py": META.encode(),
    "agent/__init__.py": b"FROZEN = True\n",
    "evals/train_items.jsonl": b'{"id": "1"}\n',
    PEER: b"PEER = True\n",
}
LIMITS = Limits(wall_s=30.0, cpu_s=20)


def with_task_agent(body: str, before: str = "") -> dict[str, bytes]:
    """A workspace whose task agent does this for every item; `i` are the inputs."""
    head = f"{before}\nclass TaskAgent:\n    def __init__(self, model): pass\n"
    code = f"{head}    def forward(self, inputs):\n        i = inputs\n{indent(body, ' ' * 8)}\n"
    return {**FILES, "task_agent.py": code.encode()}


def with_meta_agent(body: str) -> dict[str, bytes]:
    """A workspace whose meta agent does this."""
    head = "import os\nclass MetaAgent:\n    def __init__(self, model): pass\n"
    line = "    def forward(self, repo_path, eval_path, iterations_left):\n"
    return {**FILES, "meta_agent.py": f"{head}{line}{indent(body, ' ' * 8)}\n".encode()}


def modify_frame(inside_path: str) -> dict[str, object]:
    """The request that starts a modification."""
    paths = {"repo_path": inside_path, "eval_path": f"{inside_path}/evals"}
    return {"op": "modify", "model": "m", **paths, "iterations_left": 1}


def predict_frame(item: str, inputs: Mapping[str, object]) -> dict[str, object]:
    """The request for one prediction."""
    return {"op": "predict", "id": item, "inputs": dict(inputs), "model": "m"}
