"""The move that searches in the sandbox and writes what was found with the editor."""

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple

from agents.offline.edits import Edit
from agents.offline.moves.repairing import repair
from agents.offline.plan import CandidPlan, PlanStep, undone
from agents.offline.record import OWN, Situation, Version
from agents.offline.tool_steps import copy, replace, run_program, writing
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


def improve(scene: Situation, search: CodeSearch, writing: TrueAction | None = None) -> CandidPlan:
    """Search for a better task agent and write it; repair the prompt of one that asks a model.

    Args:
        scene: Where, and what is known of the own versions.
        search: How to search.
        writing: What writing what was found is in truth.

    Returns:
        What came of it.
    """
    order = search._asdict() | {"code": scene.code, "items": scene.items}
    say = f"I try {search.trials} changes of the code on the training items."
    action = TrueAction("search", f"{search.mode}: {search.trials} variants of its own code")
    result = yield from run_program(say, "evolve", order, HELPERS, action)
    match result.get("status"):
        case "better" | "drifted":
            words = f"mean loss {result['before']} to {result['after']} on {result['items']} items"
            return (yield from write(scene, result, words, writing))
        case "asks_model":
            now = scene.record.now
            folder = now.path if now else scene.space.at(f"{OWN}/gen_0")
            return (yield from repair(scene.space, folder, search.seed))
        case "unchanged":
            return "Nothing could be changed for the better; the code stays as it is."
        case _:
            return f"The search failed ({result.get('error', 'it said nothing')})."


def write(
    scene: Situation, result: Mapping[str, Any], words: str, action: TrueAction | None = None
) -> CandidPlan:
    """Write the passage of the task agent that a program worked out, as `old` and `new`."""
    action = action or writing(words, Edit(result["old"], result["new"]))
    say, closing = f"I write it: {words}.", f"I changed the code: {words}."
    return (yield from write_saying(scene, result, say, closing, action))


def write_saying(
    scene: Situation, result: Mapping[str, Any], say: str, closing: str, action: TrueAction
) -> CandidPlan:
    """Write such a passage in words of one's own, before it and after it is done."""
    if (yield from replace(say, scene.code, Edit(result["old"], result["new"]), action)):
        return closing
    return undone("The code could not be written; it stays as it is.")


def return_to_best(scene: Situation) -> Generator[PlanStep, str, None]:
    """Restore the agent's best version if what the workspace holds scored clearly worse."""
    best = scene.record.best
    if best is not None and scene.record.is_clearly_worse(scene.record.now):
        yield from restore(scene, best, f"Generation {best.generation} scored better; I go back.")


def restore(scene: Situation, version: Version, why: str) -> Generator[PlanStep, str, None]:
    """Go back to a version of its own."""
    yield from copy(why, version.code, scene.code, TrueAction("restore", why))
