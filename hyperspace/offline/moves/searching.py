"""Moves that search in the sandbox, among own variants or peers' functions, and write the find."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from hyperspace.offline.edits import Edit
from hyperspace.offline.moves.tuning import BY_SCORE, CPU_S, NO_LABELS, repair
from hyperspace.offline.plan import CandidPlan, PlanStep, undone
from hyperspace.offline.record import OWN, Situation, Version
from hyperspace.offline.tool_steps import copy, replace, run_program, writing
from hyperspace.offline.true_action import TrueAction

HELPERS = ("edits", "inside/surgery", "inside/bench", "inside/judging")
"""What the programs that search are built on."""

VARYING = ("inside/scoring", "inside/displays", "inside/variation")
"""What a search is built on, too, that changes lists."""

CROSSING = (*HELPERS, "inside/units")

ADVISED = ("inside/advised/pointed",)
"""What a search is built on, too, that changes code where advice points."""

GRADED = ("inside/scoring", "inside/graded")
"""What any of them is built on, too, where answers are scored."""

_UNSCORED = "There is no scorer either; I change something, and validation tells what it is worth."


Repertoire = Literal["numbers", "structure", "lists", "data", "both", "all"]
"""What a search may change: numbers, structure or lists alone, both of the first, or anything.

Data are lists and the numbers of the module's own constants. Where a task publishes its scorer,
both is all.
"""


class CodeSearch(NamedTuple):
    """Bounds of one search.

    Attributes:
        mode: `mutate`, `climb` or `sweep`.
        trials: Variants that are tried.
        restarts: How many climbs share the trials.
        spread: Standard deviation of a random step of a number, relative to it.
        seed: Seed of the search.
        repertoire: What it may change.
        cpu_s: CPU seconds that it may take where the task publishes its scorer.
    """

    mode: str
    trials: int
    restarts: int
    spread: float
    seed: int
    repertoire: Repertoire = "both"
    cpu_s: int = CPU_S


def improve(
    scene: Situation,
    search: CodeSearch,
    writing: TrueAction | None = None,
    advice: Sequence[Sequence[str]] = (),
) -> CandidPlan:
    """Search for a better task agent and write it; repair the prompt of one that asks a model.

    Args:
        scene: Where, and what is known of the own versions.
        search: How to search.
        writing: What writing what was found is in truth.
        advice: Passages of each piece of advice, the newest first, that may be names in the code:
            half of the changes are drawn where they point.

    Returns:
        What came of it.
    """
    order = search._asdict() | {"code": scene.code, "items": scene.items}
    order |= {"advice": advice} if advice else {}
    del order["cpu_s"]
    pointed = ADVISED if advice else ()
    helpers = (*HELPERS, *VARYING) if search.repertoire in ("lists", "data", "all") else HELPERS
    where = ", half of them where the advice points" if advice else ""
    say = f"I try {search.trials} changes of the code on the training items{where}."
    action = TrueAction("search", f"{search.mode}: {search.trials} variants of its own code")
    result = yield from run_program(say, "evolve", order, (*helpers, *pointed), action)
    if result.get("error") == NO_LABELS:
        order |= {"scorer": scene.scorer, "cpu_s": search.cpu_s}
        helpers = (*HELPERS, *VARYING, "inside/graded", *pointed)
        result = yield from run_program(BY_SCORE, "evolve", order, helpers, action)
        if str(result.get("error")).startswith("FileNotFoundError"):
            helpers = (*HELPERS, *VARYING, "inside/blind", *pointed)
            result = yield from run_program(_UNSCORED, "evolve", order, helpers, action)
            if result.get("status") == "drifted":
                return (yield from write(scene, result, "a change that is untried", writing))
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


def adopt(scene: Situation, peer: Version) -> CandidPlan:
    """Take a peer's task agent as it is."""
    words = f"{peer.agent}, generation {peer.generation}"
    action = TrueAction("adopt", f"took the whole file of {words}", peer.agent, peer.generation)
    complaint = yield from copy(f"I take over {words}.", peer.code, scene.code, action)
    if complaint:
        return undone(f"It could not be copied: {complaint}")
    return f"I adopted the code of {words}."


class Recombination(NamedTuple):
    """What came of a try to recombine.

    Attributes:
        words: What was put in; empty if nothing was.
        tried: How many variants were tried.
    """

    words: str
    tried: int


def recombine(
    scene: Situation, peers: Sequence[Version], trials: int, seed: int, cpu_s: int = CPU_S
) -> Generator[PlanStep, str, Recombination]:
    """Put in every unit of the peers that helps on the training items, peer by peer.

    Args:
        scene: Where.
        peers: Whose code to take from.
        trials: How many variants are tried at most.
        seed: Seed of the choice where nothing can be tried, because the code asks a model.
        cpu_s: CPU seconds that it may take where the task publishes its scorer.
    """
    result = yield from _compare(scene, peers, trials, 0.0, seed, cpu_s)
    if result.get("status") == "asks_model":
        return Recombination((yield from take_share(scene, peers, 0.5, seed)), trials)
    words: list[str] = []
    for step in result.get("steps", ()):
        words.append((yield from _put_in(scene, peers, step)))
    return Recombination(" ".join(filter(None, words)), int(result.get("tried", 0)))


def take_share(
    scene: Situation, peers: Sequence[Version], share: float, seed: int
) -> Generator[PlanStep, str, str]:
    """Put a share of the first peer's units that differ into the task agent, untried.

    Returns:
        What came of it; empty if nothing of a peer came into the code.
    """
    result = yield from _compare(scene, peers, 0, share, seed)
    return (yield from _put_in(scene, peers, result)) if result.get("status") == "taken" else ""


def _compare(
    scene: Situation,
    peers: Sequence[Version],
    trials: int,
    share: float,
    seed: int,
    cpu_s: int = CPU_S,
) -> Generator[PlanStep, str, dict[str, Any]]:
    order = {
        "code": scene.code,
        "items": scene.items,
        "mates": [mate.code for mate in peers],
        "trials": trials,
        "share": share,
        "seed": seed,
    }
    why = f"tries functions of {', '.join(mate.agent for mate in peers)}"
    reading = TrueAction("read_peer", why)
    say = "I compare their functions with mine."
    result = yield from run_program(say, "cross", order, CROSSING, reading)
    if result.get("error") == NO_LABELS:
        order |= {"scorer": scene.scorer, "cpu_s": cpu_s}
        helpers = (*CROSSING, *GRADED)
        result = yield from run_program(BY_SCORE, "cross", order, helpers, reading)
    return result


def _put_in(
    scene: Situation, peers: Sequence[Version], step: Mapping[str, Any]
) -> Generator[PlanStep, str, str]:
    mate, taken = peers[int(step["mate"])], [str(name) for name in step["taken"]]
    words = f"{', '.join(taken)} of {mate.agent}, generation {mate.generation}"
    action = TrueAction("recombine", words, mate.agent, mate.generation, len(taken))
    edit = Edit(step["old"], step["new"])
    is_written = yield from replace(f"I put in {words}.", scene.code, edit, action)
    return f"I recombined my code with {words}." if is_written else ""
