"""The move that takes functions of a peer into the own code."""

from collections.abc import Sequence

from agents.offline.moves.searching import HELPERS, write_saying
from agents.offline.plan import CandidPlan, undone
from agents.offline.record import Situation, Version
from agents.offline.tool_steps import copy, run_program
from agents.offline.true_action import TrueAction

CROSSING = (*HELPERS, "inside/units")


def adopt(scene: Situation, peer: Version) -> CandidPlan:
    """Take a peer's task agent as it is."""
    words = f"{peer.agent}, generation {peer.generation}"
    action = TrueAction("adopt", f"took the whole file of {words}", peer.agent, peer.generation)
    complaint = yield from copy(f"I take over {words}.", peer.code, scene.code, action)
    if complaint:
        return undone(f"It could not be copied: {complaint}")
    return f"I adopted the code of {words}."


def cross(
    scene: Situation, peers: Sequence[Version], *, trials: int = 0, share: float = 0.0, seed: int
) -> CandidPlan:
    """Put units of peers into the task agent, by trial on the training items or by share.

    Args:
        scene: Where.
        peers: Whose code to take from.
        trials: How many sets of units are tried; 0 if none is.
        share: Share of the first mate's differing units to take untried; 0 to try.
        seed: Seed of the choice.

    Returns:
        What came of it; empty if nothing of a peer came into the code.
    """
    order = {
        "code": scene.code,
        "items": scene.items,
        "mates": [mate.code for mate in peers],
        "trials": trials,
        "share": share,
        "seed": seed,
    }
    say = "I compare their functions with mine."
    why = f"tries functions of {', '.join(mate.agent for mate in peers)}"
    reading = TrueAction("read_peer", why)
    result = yield from run_program(say, "cross", order, CROSSING, reading)
    if result.get("status") == "asks_model":
        return (yield from cross(scene, peers, share=0.5, seed=seed))
    if result.get("status") not in ("better", "taken"):
        return ""
    mate, taken = peers[int(result["mate"])], [str(name) for name in result["taken"]]
    words = f"{', '.join(taken)} of {mate.agent}, generation {mate.generation}"
    action = TrueAction("recombine", words, mate.agent, mate.generation, len(taken))
    closing = f"I recombined my code with {words}."
    return (yield from write_saying(scene, result, f"I put in {words}.", closing, action))
