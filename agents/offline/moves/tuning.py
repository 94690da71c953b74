"""The move that tunes constants: search in the sandbox, then write what was found."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from agents.offline.edits import Change
from agents.offline.moves.repairing import change_code, repair
from agents.offline.plan import Plan
from agents.offline.tool_steps import Workspace, run_program

_OTHERWISE = {
    "unchanged": "No variant was better; the code stays as it is.",
    "nothing_to_tune": "The task agent has no constants to tune.",
}


class ConstantSearch(NamedTuple):
    """Bounds and bias of one search.

    Attributes:
        trials: Variants that are tried.
        spread: Standard deviation of a random step, in log space.
        share: Share of constants that a random step moves.
        mates: Paths of other task agents to recombine with.
        seed: Seed of the search.
    """

    trials: int
    spread: float
    share: float
    mates: Sequence[str]
    seed: int


def improve(space: Workspace, folder: str, search: ConstantSearch) -> Plan:
    """Search constants of the task agent and edit its file, or repair its prompt.

    Args:
        space: Where.
        folder: Holds the evaluation of the current code.
        search: How to search.

    Returns:
        One sentence about what was done.
    """
    order = search._asdict() | {
        "code": space.at("task_agent.py"),
        "items": space.at("evals/train_items.jsonl"),
    }
    say = f"I try {search.trials} variants of the constants on the training items."
    result = yield from run_program(say, "tune_constants", order)
    match str(result.get("status", "failed")):
        case "tuned":
            return (yield from _write(space, result))
        case "asks_model":
            return (yield from repair(space, folder, search.seed))
        case status:
            return _OTHERWISE.get(status, f"The search failed: {result.get('error')}")


def _write(space: Workspace, result: dict[str, Any]) -> Plan:
    changes = [
        Change(line, start, end, repr(new)) for line, start, end, _, new in result["changes"]
    ]
    right = f"{result['before']} to {result['after']} of {result['items']} training items right"
    if (yield from change_code(space, changes, f"I write them: {right}.", right)):
        return f"I changed {len(changes)} constants: {right}."
    return "The constants could not be written; the code stays as it is."
