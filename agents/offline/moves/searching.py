"""The move that searches in the sandbox and writes what was found with the editor."""

from collections.abc import Generator
from typing import NamedTuple

from agents.offline.edits import Edit
from agents.offline.moves.repairing import repair
from agents.offline.plan import CandidPlan, PlanStep, undone
from agents.offline.record import OWN, VersionRecord
from agents.offline.tool_steps import Workspace, copy, replace, run_program, writing
from agents.offline.true_action import TrueAction

HELPERS = ("edits", "inside/surgery", "inside/bench")
"""What the programs that search are built on."""


class CodeSearch(NamedTuple):
    """Bounds of one search.

    Attributes:
        mode: `mutate`, `climb` or `sweep`.
        trials: Variants that are tried.
        restarts: How many climbs share the trials.
        spread: Standard deviation of a random step of a number, relative to it.
        seed: Seed of the search.
    """

    mode: str
    trials: int
    restarts: int
    spread: float
    seed: int


def improve(
    space: Workspace, record: VersionRecord, search: CodeSearch, writing: TrueAction | None = None
) -> CandidPlan:
    """Search for a better task agent and write it; repair the prompt of one that asks a model.

    Args:
        space: Where.
        record: What is known of the own versions.
        search: How to search.
        writing: What writing what was found is in truth.

    Returns:
        What came of it.
    """
    order = search._asdict() | {
        "code": space.at("task_agent.py"),
        "items": space.at(f"{OWN}/train_items.jsonl"),
    }
    say = f"I try {search.trials} changes of the code on the training items."
    action = TrueAction("search", f"{search.mode}: {search.trials} variants of its own code")
    result = yield from run_program(say, "evolve", order, HELPERS, action)
    match result.get("status"):
        case "better" | "drifted":
            words = f"mean loss {result['before']} to {result['after']} on {result['items']} items"
            return (yield from write(space, Edit(result["old"], result["new"]), words, writing))
        case "asks_model":
            folder = record.now.path if record.now else space.at(f"{OWN}/gen_0")
            return (yield from repair(space, folder, search.seed))
        case "unchanged":
            return "Nothing could be changed for the better; the code stays as it is."
        case _:
            return f"The search failed ({result.get('error', 'it said nothing')})."


def write(space: Workspace, edit: Edit, words: str, action: TrueAction | None = None) -> CandidPlan:
    """Write one passage of the task agent with the editor."""
    path = space.at("task_agent.py")
    if (yield from replace(f"I write it: {words}.", path, edit, action or writing(words, edit))):
        return f"I changed the code: {words}."
    return undone("The code could not be written; it stays as it is.")


def return_to_best(space: Workspace, record: VersionRecord) -> Generator[PlanStep, str, None]:
    """Restore the agent's best version if what the workspace holds scored clearly worse."""
    best = record.best
    if best is None or not record.is_clearly_worse(record.now):
        return
    why = f"Generation {best.generation} scored better; I go back."
    yield from copy(why, best.code, space.at("task_agent.py"), TrueAction("restore", why))
