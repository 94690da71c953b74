"""The move that tunes constants: search in the sandbox, then write what was found."""

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

from agents.offline.edits import Change, apply, smallest_edit
from agents.offline.plan import PlanStep
from agents.offline.tool_steps import Workspace, read_code, replace, run_program, writing


class ConstantSearch(NamedTuple):
    """Bounds and bias of one search.

    Attributes:
        trials: Variants that are tried.
        spread: Standard deviation of a random step, in log space.
        share: Share of constants that a random step moves.
        peers: Paths of other task agents to recombine with.
        seed: Seed of the search.
    """

    trials: int
    spread: float
    share: float
    peers: Sequence[str]
    seed: int


class Tuned(NamedTuple):
    """The outcome of a search.

    Attributes:
        status: `tuned`, `unchanged`, `asks_model`, `nothing_to_tune` or `failed`.
        words: One sentence about it.
    """

    status: str
    words: str


def tune(space: Workspace, search: ConstantSearch) -> Generator[PlanStep, str, Tuned]:
    """Search constants of the task agent and edit its file."""
    order = {
        "trials": search.trials,
        "spread": search.spread,
        "share": search.share,
        "mates": list(search.peers),
        "seed": search.seed,
        "code": space.at("task_agent.py"),
        "items": space.at("evals/train_items.jsonl"),
    }
    say = f"I try {search.trials} variants of the constants on the training items."
    result = yield from run_program(say, "tune_constants", order)
    status = str(result.get("status", "failed"))
    if status != "tuned":
        return Tuned(status, _OTHERWISE.get(status, f"The search failed: {result.get('error')}"))
    return (yield from _write(space, result))


_OTHERWISE = {
    "unchanged": "No variant was better; the code stays as it is.",
    "asks_model": "The task agent asks a model; its constants decide nothing.",
    "nothing_to_tune": "The task agent has no constants to tune.",
}


def _write(space: Workspace, result: dict[str, Any]) -> Generator[PlanStep, str, Tuned]:
    path = space.at("task_agent.py")
    source = yield from read_code("I read the code that I am about to change.", path)
    changes = [
        Change(line, start, end, repr(new)) for line, start, end, _, new in result["changes"]
    ]
    edit = smallest_edit(source, apply(source, changes))
    right = f"{result['before']} to {result['after']} of {result['items']} training items right"
    if edit is None:
        return Tuned("failed", "The constants could not be written; the code stays as it is.")
    if not (yield from replace(f"I write them: {right}.", path, edit, writing(right, edit))):
        return Tuned("failed", "The constants could not be written; the code stays as it is.")
    return Tuned("tuned", f"I changed {len(changes)} constants: {right}.")
