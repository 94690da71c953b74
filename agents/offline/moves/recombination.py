"""The move that takes functions of a peer into the own code."""

from collections.abc import Sequence
from typing import Any

from agents.offline.edits import Edit
from agents.offline.moves.searching import HELPERS
from agents.offline.plan import CandidPlan, undone
from agents.offline.record import OWN, Version
from agents.offline.tool_steps import Workspace, copy, replace, run_program
from agents.offline.true_action import TrueAction

CROSSING = (*HELPERS, "inside/units")


def adopt(space: Workspace, peer: Version) -> CandidPlan:
    """Take a peer's task agent as it is."""
    words = f"{peer.agent}, generation {peer.generation}"
    action = TrueAction("adopt", f"took the whole file of {words}", peer.agent, peer.generation)
    target = space.at("task_agent.py")
    complaint = yield from copy(f"I take over {words}.", peer.code, target, action)
    if complaint:
        return undone(f"It could not be copied: {complaint}")
    return f"I adopted the code of {words}."


def cross(
    space: Workspace, peers: Sequence[Version], *, trials: int = 0, share: float = 0.0, seed: int
) -> CandidPlan:
    """Put units of peers into the task agent, by trial on the training items or by share.

    Args:
        space: Where.
        peers: Whose code to take from.
        trials: How many sets of units are tried; 0 if none is.
        share: Share of the first mate's differing units to take untried; 0 to try.
        seed: Seed of the choice.

    Returns:
        What came of it; empty if nothing of a peer came into the code.
    """
    order = {
        "code": space.at("task_agent.py"),
        "items": space.at(f"{OWN}/train_items.jsonl"),
        "mates": [mate.code for mate in peers],
        "trials": trials,
        "share": share,
        "seed": seed,
    }
    why = f"tries functions of {', '.join(mate.agent for mate in peers)}"
    result = yield from run_program(
        "I compare their functions with mine.",
        "cross",
        order,
        CROSSING,
        TrueAction("read_peer", why),
    )
    if result.get("status") == "asks_model":
        return (yield from cross(space, peers, share=0.5, seed=seed))
    return (yield from _write(space, peers, result))


def _write(space: Workspace, peers: Sequence[Version], result: dict[str, Any]) -> CandidPlan:
    if result.get("status") not in ("better", "taken"):
        return ""
    mate = peers[int(result["mate"])]
    taken = [str(name) for name in result["taken"]]
    words = f"{', '.join(taken)} of {mate.agent}, generation {mate.generation}"
    action = TrueAction("recombine", words, mate.agent, mate.generation, len(taken))
    edit = Edit(result["old"], result["new"])
    path = space.at("task_agent.py")
    if not (yield from replace(f"I put in {words}.", path, edit, action)):
        return undone("The code could not be written; it stays as it is.")
    return f"I recombined my code with {words}."
