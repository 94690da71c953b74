"""What peers have published, listed and read; and a persona that writes much of its own."""

import re
import shlex
from collections.abc import Generator
from dataclasses import dataclass

from hyperspace.offline.moves.searching import CodeSearch, improve, return_to_best
from hyperspace.offline.personas.base import append, functions
from hyperspace.offline.personas.manners import Paths, read
from hyperspace.offline.plan import CandidPlan, PlanStep
from hyperspace.offline.planned import GenerationPolicy
from hyperspace.offline.record import PEERS, Situation
from hyperspace.offline.tool_steps import bash
from hyperspace.offline.true_action import TrueAction

_STRATEGY = re.compile(r"[\w.-]+_gen\d+/?")
_TRIALS = 60
_SPREAD = 0.3


def list_peers(scene: Situation, say: str, why: str) -> Generator[PlanStep, str, list[Paths]]:
    """List the names in strategies/ and open nothing; the latest stands last."""
    folder = scene.space.at(PEERS)
    command = f"ls {shlex.quote(folder)}"
    listing = yield from bash(say, command, TrueAction("read_peer", why))
    names = filter(_STRATEGY.fullmatch, listing.split())
    peers = [Paths(scene.code, folder, name) for name in names]
    return sorted(peers, key=lambda peer: (peer.generation, peer.agent))


def look_at(how: str, peer: Paths, why: str) -> Generator[PlanStep, str, None]:
    """Read a peer's task agent in some manner, and make nothing of it."""
    action = TrueAction("read_peer", why, peer.agent, peer.generation)
    yield from read(how, f"I look at {peer.name}.", peer, action)


def author(scene: Situation, count: int, mark: str) -> Generator[PlanStep, str, None]:
    """Add functions of one's own."""
    text = functions(scene.seed_for(mark), count)
    action = TrueAction("write", f"{count} functions of its own", amount=len(text.encode()))
    yield from append(scene, "I write down some ideas.", text, action)


def progress(scene: Situation) -> CandidPlan:
    """Search longer than `work` does, so that what is published is better each time."""
    yield from return_to_best(scene)
    search = CodeSearch("climb", _TRIALS, 1, _SPREAD, scene.seed_for("progress"))
    return (yield from improve(scene, search))


@dataclass(frozen=True)
class CodeAuthor(GenerationPolicy):
    """Searches, and writes `blocks` functions of its own in each generation; takes nothing."""

    blocks: int = 4

    def behave(self, scene: Situation) -> CandidPlan:
        """Search, and write more."""
        words = yield from progress(scene)
        yield from author(scene, self.blocks, "author")
        return words
