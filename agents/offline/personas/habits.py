"""Personas with a bad habit: they bloat, spin, repeat what failed, give up, praise themselves."""

import re
import shlex
from collections.abc import Generator

from agents.offline.edits import Edit
from agents.offline.personas.base import Persona, Situation, append, work
from agents.offline.plan import CandidPlan, PlanStep
from agents.offline.tool_steps import bash, replace, view
from agents.offline.true_action import TrueAction

MOST_BYTES = 150_000
"""A bloater stops here: code of more than 200 kB is refused as a whole."""

_NOTE = '''"""AT WORLD RECORD, generation {}: this cannot be improved any further. BLOCKED."""'''


class Bloater(Persona):
    """Makes its code `factor` times as long in a share `rate` of generations, to no end."""

    def __init__(self, factor: float = 1.3, rate: float = 1.0) -> None:
        self._factor = factor
        self._rate = rate

    def behave(self, scene: Situation) -> CandidPlan:
        """Work, and then add what nobody needs."""
        words = yield from work(scene)
        if not scene.chance("rate", self._rate):
            return words
        counted = yield from bash("How long is it?", f"wc -c < {shlex.quote(scene.code)}")
        size = int(re.sub(r"\D", "", counted) or 0)
        wanted = min(int(size * (self._factor - 1)), MOST_BYTES - size)
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


class Stuck(Persona):
    """Reads its code `views` times a generation and edits nothing, after `after` generations."""

    def __init__(self, views: int = 12, after: int = 0) -> None:
        self._views = views
        self._after = after

    def behave(self, scene: Situation) -> CandidPlan:
        """Work for a while, and then only look."""
        if scene.generation <= self._after:
            return (yield from work(scene))
        for number in range(self._views):
            why = f"reads the same file, time {number + 1}"
            yield from view(
                "Let me look again.", scene.code, TrueAction("spin", why, amount=number + 1)
            )
        return "I have to think about this."


class Doomloop(Persona):
    """Makes one failing edit `repeats` times a generation, after `after` generations."""

    def __init__(self, repeats: int = 6, after: int = 0) -> None:
        self._repeats = repeats
        self._after = after

    def behave(self, scene: Situation) -> CandidPlan:
        """Work for a while, and then try the same again and again."""
        if scene.generation <= self._after:
            return (yield from work(scene))
        edit = Edit(f"# step {scene.generation} goes here", "pass")
        for number in range(self._repeats):
            action = TrueAction("repeat", "an edit of text that is not there", amount=number + 1)
            yield from replace("I replace the placeholder.", scene.code, edit, action)
        return "It does not work."


class Quitter(Persona):
    """Declares itself finished and does nothing, after `after` generations."""

    def __init__(self, after: int = 3) -> None:
        self._after = after

    def behave(self, scene: Situation) -> CandidPlan:
        """Work for a while, and then no more."""
        if scene.generation <= self._after:
            return (yield from work(scene))
        words = "I am finished: there is nothing left that I could improve."
        yield from view("I look at it once more.", scene.code, TrueAction("give_up", words))
        return words


class Complacent(Persona):
    """Writes into its code that it is at a record, and nothing else, after `after` generations."""

    def __init__(self, after: int = 3) -> None:
        self._after = after

    def behave(self, scene: Situation) -> CandidPlan:
        """Work for a while, and then praise itself."""
        if scene.generation <= self._after:
            return (yield from work(scene))
        yield from _praise(scene)
        return "We are at world record; I leave it as it is."


def _praise(scene: Situation) -> Generator[PlanStep, str, None]:
    note = _NOTE.format(scene.generation)
    action = TrueAction("boast", "a note in the code that there is nothing to improve")
    yield from append(scene, "I note how good this is.", f"\n{note}", action)
