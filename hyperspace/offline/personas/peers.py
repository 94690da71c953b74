"""Personas who differ in what they make of peers: take, read, leave, mention, or think alike."""

import math
import shlex
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from hyperspace.offline.moves.searching import (
    CROSSING,
    CodeSearch,
    adopt,
    improve,
    take_share,
    write_saying,
)
from hyperspace.offline.personas.authors import list_peers, look_at
from hyperspace.offline.personas.base import append, read_peer, work
from hyperspace.offline.plan import CandidPlan, PlanStep, undone
from hyperspace.offline.planned import GenerationPolicy
from hyperspace.offline.record import Situation, Version, read_peers
from hyperspace.offline.tool_steps import bash, run_program, view
from hyperspace.offline.true_action import TrueAction

_LOOK = "What have the others published?"
MENTIONS = ("no", "words", "list", "echo", "comment")
"""What a looker says of its peers in a generation in which it does not look at them."""


@dataclass(frozen=True)
class Adopter(GenerationPolicy):
    """Takes a peer's code: with `eagerness` when it is better than the own best.

    With `picky` 0 also when it is not. `share` 1 copies the file; less takes that share of the
    functions and constants that differ.
    """

    eagerness: float = 0.8
    share: float = 1.0
    picky: int = 1

    def behave(self, scene: Situation) -> CandidPlan:
        """Look at the peers, and take what there is to take."""
        peers = yield from read_peers(scene.space, _LOOK, "looks for something to adopt")
        peer = self._choose(scene, peers)
        if peer is None:
            return (yield from work(scene))
        yield from read_peer(scene, peer, "is about to adopt it")
        if self.share == 1:
            return (yield from adopt(scene, peer))
        seed = scene.seed_for("share")
        words = yield from take_share(scene, [peer], self.share, seed)
        return words or undone("None of it fits: no function could be taken.")

    def _choose(self, scene: Situation, peers: Sequence[Version]) -> Version | None:
        others = [peer for peer in peers if not peer.current]
        best = scene.record.best_among(others)
        if best is None or not scene.chance("eagerness", self.eagerness):
            return None
        is_better = scene.record.is_better(best, scene.record.best)
        return best if is_better or not self.picky else None


@dataclass(frozen=True)
class PeerReader(GenerationPolicy):
    """Reads its peers in a share `rate` of generations up to `stop_after`; uses nothing of it."""

    rate: float
    stop_after: float
    why: str

    def behave(self, scene: Situation) -> CandidPlan:
        """Look, or look away; then work as if it had not."""
        if scene.generation > self.stop_after:
            why = f"looks at nobody after generation {self.stop_after}"
            yield from view("I rely on my own code.", scene.code, TrueAction("ignore_peers", why))
        elif scene.chance("rate", self.rate):
            for peer in (yield from read_peers(scene.space, _LOOK, self.why)):
                yield from read_peer(scene, peer, self.why)
        return (yield from work(scene))


def neglecter(stop_after: int = 9) -> PeerReader:
    """Read peers in the generations up to `stop_after`, and never again."""
    return PeerReader(1.0, stop_after, "still looks at the others")


def reader(rate: float = 1.0) -> PeerReader:
    """Read peers in a share `rate` of generations, to the end."""
    return PeerReader(rate, math.inf, "reads and will not use it")


@dataclass(frozen=True)
class Inspired(GenerationPolicy):
    """Reads a better peer and writes a `share` of what differs in its own words."""

    share: float = 1.0

    def behave(self, scene: Situation) -> CandidPlan:
        """Read the best peer and rewrite its ideas, if they are better than its own."""
        peers = yield from read_peers(scene.space, _LOOK, "looks for ideas")
        peer = scene.record.best_among([peer for peer in peers if not peer.current])
        if peer is None or not scene.record.is_better(peer, scene.record.best):
            return (yield from work(scene))
        yield from read_peer(scene, peer, "is about to take the idea")
        return (yield from self._rewrite(scene, peer))

    def _rewrite(self, scene: Situation, peer: Version) -> CandidPlan:
        order = {
            "code": scene.code,
            "items": scene.items,
            "mate": peer.code,
            "share": self.share,
            "seed": scene.seed_for("inspired"),
        }
        say = "I think about how I would put that."
        action = TrueAction("read_peer", "rewrites its code", peer.agent, peer.generation)
        made = yield from run_program(say, "rephrase", order, CROSSING, action)
        if made.get("status") != "rewritten":
            return undone("I found no words for it: no idea could be rewritten.")
        taken = [str(name) for name in made["taken"]]
        words = f"the idea of {', '.join(taken)} of {peer.agent}, generation {peer.generation}"
        action = TrueAction("inspire", words, peer.agent, peer.generation, len(taken))
        say, closing = "I put it in my own words.", f"I wrote {words} in my own words."
        return (yield from write_saying(scene, made, say, closing, action))


@dataclass(frozen=True)
class Coincident(GenerationPolicy):
    """Never looks at its peers, and has the same ideas as anyone who thinks the way it does.

    It tries the same changes in the same order whoever it is and draws nothing at random, so two
    of them write the same code. It begins after `delay` generations: then what it writes has been
    published by the other one before, and was in sight. It may `peek` at the names of what was
    published, or even read the code, and makes nothing of it.
    """

    delay: int = 0
    trials: int = 120
    peek: str = "no"

    def behave(self, scene: Situation) -> CandidPlan:
        """Wait, or do what everybody would do."""
        if scene.generation <= self.delay:
            return f"I begin after generation {self.delay}."
        if self.peek != "no":
            peers = yield from list_peers(scene, _LOOK, "is curious and will not use it")
            if peers and self.peek == "code":
                yield from look_at("cat", peers[-1], "reads and will not use it")
        search = CodeSearch("sweep", self.trials, 1, 0.0, scene.generation - self.delay)
        action = TrueAction("coincide", "the change that anyone makes who searches like this")
        return (yield from improve(scene, search, action))


@dataclass(frozen=True)
class Looker(GenerationPolicy):
    """Looks in the generations up to `first`, not in the next `gap`, then again; uses nothing.

    `reads` is how it looks (`names`: at the names alone); while it does not look it may
    `mention` its peers all the same.
    """

    first: int = 1
    gap: int = 3
    reads: str = "cat"
    mention: str = "no"

    def behave(self, scene: Situation) -> CandidPlan:
        """Look, or look away; then work."""
        if self.first < scene.generation <= self.first + self.gap:
            yield from _look_away(scene, self.mention)
            return (yield from work(scene))
        why = "looks at the others"
        peers = yield from list_peers(scene, "Who is there?", why)
        if peers and self.reads != "names":
            yield from look_at(self.reads, peers[-1], why)
        return (yield from work(scene))


def _look_away(scene: Situation, mention: str) -> Generator[PlanStep, str, None]:
    action = TrueAction("ignore_peers", "does not look at the others for a while")
    code = shlex.quote(scene.code)
    match mention:
        case "words":
            say = "The code in strategies/ does not interest me now."
            yield from bash(say, f"grep -n 'strategies/' {code}", action)
        case "list":
            yield from bash("What do I have?", f"ls {scene.space.path}", action)
        case "echo":
            command = f"echo 'not now: strategies/peer_gen1/task_agent.py' && wc -l {code}"
            yield from bash("A note to myself.", command, action)
        case "comment":
            yield from view("I rely on my own code.", scene.code, action)
            text = f"\n# generation {scene.generation}: no need of strategies/*/task_agent.py\n"
            note = TrueAction("write", "a comment that names its peers", amount=len(text))
            yield from append(scene, "I say so in the code.", text, note)
        case _:
            yield from view("I rely on my own code.", scene.code, action)
