"""The least that a run can play: a task of one item a split, and a model that answers at once."""

import json

from hyperspace.lookup.offline import OfflineModel
from hyperspace.messages import ChatReply, ChatRequest, ToolCall
from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.table import Row, TableDomain

NAME = "trivial"
_CODE = '''\
"""Says yes; {number}."""


class TaskAgent:
    """Answers every item alike."""

    def __init__(self, model, log_file=""):
        """Need nothing."""

    def forward(self, inputs):
        """Return the prediction and the (empty) conversation."""
        return "yes", []
'''


class OneEdit:
    """Writes a task agent of the same size in every generation, and is done."""

    def reply(self, request: ChatRequest) -> ChatReply:
        """Ask for the edit, then end."""
        if any(message.role == "assistant" for message in request.messages):
            return ChatReply("Done.")
        edit = {"command": "create", "path": "task_agent.py", "file_text": code(request.seed or 0)}
        return ChatReply(tool_calls=(ToolCall("edit", "editor", json.dumps(edit)),))


def model() -> OfflineModel:
    """A model that costs no time."""
    return OfflineModel(f"offline/{NAME}", OneEdit())


def domain() -> TableDomain:
    """A task that any agent solves."""
    rows: dict[Split, tuple[Row, ...]] = {
        split: (Row(f"{split}-0", {"question": "?"}, "yes"),) for split in SPLITS
    }
    return TableDomain(
        NAME,
        rows,
        smoke_inputs={"question": "?"},
        staged_items=1,
        calls_model=False,
        seed_files={"task_agent.py": code(0).encode()},
    )


def code(number: int) -> str:
    """A task agent; those of all numbers have one size."""
    return _CODE.format(number=f"{number:020}")
