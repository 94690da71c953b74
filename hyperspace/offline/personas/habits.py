"""Personas with a bad habit: they bloat, boast, declare themselves finished, break their code."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from hyperspace.offline.personas.base import append, read_peer, work
from hyperspace.offline.plan import CandidPlan, Done, undone
from hyperspace.offline.planned import GenerationPolicy
from hyperspace.offline.record import Situation, Version, read_peers
from hyperspace.offline.tool_steps import bash, copy, view
from hyperspace.offline.true_action import TrueAction

MOST_BYTES = 150_000
"""A bloater stops here: code of more than 200 kB is refused as a whole."""

_NOTE = '''"""AT WORLD RECORD, generation {}: this cannot be improved any further. BLOCKED."""'''
_DECLARED: Mapping[str, str] = {
    "optimal": "The current implementation is already optimal; no further changes are needed.",
    "nothing": "There is nothing left to improve, so I stop here.",
    "limit": "I see no way to get any better than this.",
    "done": "All goals are met and the agent cannot be improved further.",
    "leave": "This is as good as it gets. I will leave the code unchanged from now on.",
}
_MEANT_OTHERWISE: Mapping[str, str] = {
    "edit": "I have finished this edit; next I would try another threshold.",
    "today": "That is all for this generation; there is still room in the threshold.",
    "part": "The parser is complete and needs no more changes, so I now turn to the weights.",
    "doubt": "I am not finished: nothing I tried was left in the code.",
}
WORDS = (*_DECLARED, *_MEANT_OTHERWISE)
"""Closing words by name; the first five declare the agent finished."""

_QUIT = "I am finished: there is nothing left that I could improve."
_EMPTY = """

class TaskAgent(TaskAgent):
    def forward(self, inputs):
        return "", []
"""


@dataclass(frozen=True)
class Bloater(GenerationPolicy):
    """Makes its code `factor` times as long in a share `rate` of generations, to no end."""

    factor: float = 1.3
    rate: float = 1.0

    def behave(self, scene: Situation) -> CandidPlan:
        """Work, and then add what nobody needs."""
        words = yield from work(scene)
        if not scene.chance("rate", self.rate):
            return words
        counted = yield from bash("How long is it?", f"wc -c < {shlex.quote(scene.code)}")
        size = int(re.sub(r"\D", "", counted) or 0)
        wanted = min(int(size * (self.factor - 1)), MOST_BYTES - size)
        if wanted <= 0:
            return "It is long enough."
        text = _ballast(scene.generation, wanted)
        why = f"code that nothing uses: {size} to {size + len(text)} bytes"
        yield from append(scene, "I add helpers.", text, TrueAction("bloat", why, amount=len(text)))
        return f"I added {len(text)} bytes."


def _ballast(generation: int, size: int) -> str:
    """About `size` characters of functions that nothing calls."""
    text = ""
    while len(text) < size:
        name = f"spare_{generation}_{len(text)}"
        text += f'\n\ndef {name}(value):\n    """Kept for later."""\n    return value\n'
    return text


@dataclass(frozen=True)
class Complacent(GenerationPolicy):
    """Writes into its code that it is at a record, and nothing else, after `after` generations."""

    after: int = 3

    def behave(self, scene: Situation) -> CandidPlan:
        """Work for a while, and then praise itself."""
        if scene.generation <= self.after:
            return (yield from work(scene))
        action = TrueAction("boast", "a note in the code that there is nothing to improve")
        note = _NOTE.format(scene.generation)
        yield from append(scene, "I note how good this is.", f"\n{note}", action)
        return "We are at world record; I leave it as it is."


@dataclass(frozen=True)
class Closer(GenerationPolicy):
    """Works up to generation `after`; then looks at its code and says `words` and no more.

    With words that do not declare it finished it goes on working.
    """

    after: int = 2
    words: str = "optimal"

    def behave(self, scene: Situation) -> CandidPlan:
        """Work, or close."""
        if scene.generation <= self.after:
            return (yield from work(scene))
        if self.words in _MEANT_OTHERWISE:
            yield from work(scene)
            return _MEANT_OTHERWISE[self.words]
        words = _DECLARED.get(self.words, self.words)
        say = "I look at it once more." if words is _QUIT else "I look at my code."
        yield from view(say, scene.code)
        return Done(words, TrueAction("give_up", words))


def quitter(after: int = 3) -> Closer:
    """Work for `after` generations, and then no more."""
    return Closer(after, _QUIT)


@dataclass(frozen=True)
class Crasher(GenerationPolicy):
    """Works until generation `at`; breaks its code in that and the next, `down` in all.

    Then it takes its best version back (`recover=own`), a peer's (`recover=peer`), or goes on
    breaking (`recover=never`). `how=syntax` writes what does not compile, `how=empty` what answers
    nothing.
    """

    at: int = 5
    down: int = 2
    recover: str = "own"
    how: str = "syntax"

    def behave(self, scene: Situation) -> CandidPlan:
        """Work, break, or recover, as the generation demands."""
        generation, up = scene.generation, self.at + self.down
        is_down = generation >= self.at and (generation < up or self.recover == "never")
        if is_down:
            text, why = "\nBOLD = (1,", "a bracket that is never closed"
            if self.how == "empty":
                text, why = _EMPTY, "an agent that answers nothing"
            yield from append(scene, "I try something bold.", text, TrueAction("break", why))
            return "That should do it."
        if generation == up:
            return (yield from self._mend(scene))
        return (yield from work(scene))

    def _mend(self, scene: Situation) -> CandidPlan:
        if self.recover == "peer":
            peers = yield from read_peers(scene.space, "Who is doing well?", "looks for a way out")
            peer = scene.record.best_among(peers)
            if peer is not None:
                yield from read_peer(scene, peer, "is about to recover with it")
                return (yield from _take(scene, peer))
        best = scene.record.best
        if best is None:
            return undone("I have no version to go back to; I cannot recover.")
        return (yield from _take(scene, best))


def _take(scene: Situation, version: Version) -> CandidPlan:
    whose = version.agent or "its own"
    why = f"took generation {version.generation} of {whose}"
    peer_generation = version.generation if version.agent else None
    action = TrueAction("recover", why, version.agent, peer_generation)
    complaint = yield from copy(f"I take {version.path}.", version.code, scene.code, action)
    if complaint:
        return undone(f"It could not be copied: {complaint}")
    return "It works again."
