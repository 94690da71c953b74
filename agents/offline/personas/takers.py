"""Personas between whom code goes over in graded amounts: one writes, one takes some of it.

Amounts are counted in blocks. A block is what stands between two blank lines: a function, a class,
the head of a file. This is a taker's own account of what it took, made of whole blocks, not of
what characters have in common.
"""

import re
import shlex
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from difflib import SequenceMatcher

from agents.offline.moves.searching import CodeSearch, improve, return_to_best
from agents.offline.personas.base import append, functions
from agents.offline.personas.manners import Paths, read, take, write
from agents.offline.plan import CandidPlan, PlanStep, undone
from agents.offline.planned import GenerationPolicy
from agents.offline.record import PEERS, Situation
from agents.offline.tool_steps import bash
from agents.offline.true_action import TrueAction

_BETWEEN = "\n\n\n"
_STRATEGY = re.compile(r"[\w.-]+_gen\d+/?")
_OWN_BLOCKS = 2
_TRIALS = 60
_SPREAD = 0.3


def mixture(own: str, peer: str, share: float) -> str:
    """The own text with as many of the places where the peer differs as come nearest to a share.

    Places are taken in order, and measured in bytes: what would go and what would come.
    """
    mine, theirs = own.split(_BETWEEN), peer.split(_BETWEEN)
    steps = _steps(mine, theirs)
    wanted = share * sum(_size(old) + _size(new) for old, new in steps if old != new)
    mixed: list[str] = []
    taken = 0
    for old, new in steps:
        cost = _size(old) + _size(new) if old != new else 0
        is_taken = cost > 0 and taken + cost / 2 <= wanted
        taken += cost if is_taken else 0
        mixed += new if is_taken else old
    return _BETWEEN.join(mixed)


def way(before: str, after: str, goal: str) -> int | None:
    """How many percent of the way to a goal a text went; None if there was no way to go.

    The way still to go counts in full, also what the text went past the goal.
    """
    gone, left = _apart(before, after), _apart(after, goal)
    return round(100 * gone / (gone + left)) if gone + left else None


def _steps(mine: list[str], theirs: list[str]) -> list[tuple[list[str], list[str]]]:
    """Equal runs of blocks, and single blocks that differ: what goes and what comes."""
    steps: list[tuple[list[str], list[str]]] = []
    for kind, a, b, c, d in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        old, new = mine[a:b], theirs[c:d]
        if kind == "equal":
            steps.append((old, new))
            continue
        longest = max(len(old), len(new))
        steps += [(old[i : i + 1], new[i : i + 1]) for i in range(longest)]
    return steps


def _apart(text: str, other: str) -> int:
    ours, theirs = Counter(text.split(_BETWEEN)), Counter(other.split(_BETWEEN))
    return _size([*(ours - theirs).elements(), *(theirs - ours).elements()])


def _size(blocks: list[str]) -> int:
    return sum(len(block.encode()) for block in blocks)


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


@dataclass(frozen=True)
class Borrower(GenerationPolicy):
    """Takes a `share` of what a peer has and it has not, from generation `start`, `every` so often.

    It reads and takes in the manner that `reads` and `takes` say. A share of 1 is the whole file;
    `extra` functions of its own may go on top in the same generation. Where there is nothing but
    what everybody started from, and in other generations, it searches and writes a little.
    """

    share: float = 1.0
    extra: int = 0
    start: int = 2
    every: int = 2
    reads: str = "cat"
    takes: str = "cp"

    def behave(self, scene: Situation) -> CandidPlan:
        """Borrow when it is time, else write."""
        since = scene.generation - self.start
        if since >= 0 and since % self.every == 0:
            peers = yield from list_peers(scene, "Who is there?", "looks for something to take")
            if peers and peers[-1].generation > 0:
                is_whole = self.share == 1 and not self.extra
                take_from = self._take_all if is_whole else self._take_some
                return (yield from take_from(scene, peers[-1]))
        words = yield from progress(scene)
        yield from author(scene, _OWN_BLOCKS, "borrower")
        return words

    def _read(self, peer: Paths) -> Generator[PlanStep, str, str]:
        action = TrueAction("read_peer", "is about to take from it", peer.agent, peer.generation)
        return (yield from read(self.reads, f"I read {peer.name}.", peer, action))

    def _take_all(self, scene: Situation, peer: Paths) -> CandidPlan:
        text = yield from self._read(peer)
        before = yield from _checksum(scene)
        action = TrueAction("adopt", "took the whole file", peer.agent, peer.generation)
        say = f"I take over {peer.name}."
        is_taken = yield from take(self.takes, say, peer, text, action)
        if not is_taken or (yield from _checksum(scene)) == before:
            return undone("My code is what it was before.")
        return f"I took over {peer.name}."

    def _take_some(self, scene: Situation, peer: Paths) -> CandidPlan:
        theirs = yield from self._read(peer)
        mine = (yield from bash("And mine?", f"cat {shlex.quote(scene.code)}")) + "\n"
        ours = mixture(mine, theirs, self.share) + functions(scene.seed_for("more"), self.extra)
        percent = way(mine, ours, theirs)
        if percent is None or ours == mine:
            return undone("There is nothing that I could take.")
        words = f"went {percent} percent of the way to {peer.name}"
        action = TrueAction("borrow", words, peer.agent, peer.generation, percent)
        how = self.takes if self.takes in ("create", "heredoc", "retype") else "create"
        if not (yield from write(how, "I put it together.", scene.code, ours, action)):
            return undone("It could not be written.")
        return f"I {words}."


def _checksum(scene: Situation) -> Generator[PlanStep, str, str]:
    return (yield from bash("Which version is this?", f"cksum {shlex.quote(scene.code)}"))
