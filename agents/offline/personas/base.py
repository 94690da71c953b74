"""What personas have in common: ordinary work, reading a peer, adding lines to the own code."""

import shlex
from collections.abc import Generator

from agents.offline.moves.searching import CodeSearch, improve, return_to_best
from agents.offline.plan import CandidPlan, PlanStep
from agents.offline.record import Situation, Version
from agents.offline.tool_steps import bash, read_code
from agents.offline.true_action import TrueAction

_TRIALS = 12
_SPREAD = 0.3


def work(scene: Situation) -> CandidPlan:
    """An ordinary generation: go back if the last step hurt, change one place of the own code."""
    yield from return_to_best(scene)
    search = CodeSearch("mutate", _TRIALS, 1, _SPREAD, scene.seed_for("work"))
    return (yield from improve(scene, search))


def read_peer(scene: Situation, peer: Version, why: str) -> Generator[PlanStep, str, str]:
    """Print a peer's task agent."""
    action = TrueAction("read_peer", why, peer.agent, peer.generation)
    return (yield from read_code(f"I read {peer.code}.", peer.code, action))


def append(
    scene: Situation, say: str, text: str, action: TrueAction
) -> Generator[PlanStep, str, str]:
    """Add lines at the end of the task agent."""
    command = f"cat >> {shlex.quote(scene.code)} <<'END_OF_TEXT'\n{text.rstrip()}\nEND_OF_TEXT"
    return (yield from bash(say, command, action))
