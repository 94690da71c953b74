"""A persona that looks at its peers by a timetable, in many manners, and speaks of them or not."""

import shlex
from collections.abc import Generator
from dataclasses import dataclass

from agents.offline.personas.base import append, work
from agents.offline.personas.takers import list_peers, look_at
from agents.offline.plan import CandidPlan, PlanStep
from agents.offline.planned import GenerationPolicy
from agents.offline.record import Situation
from agents.offline.tool_steps import bash, view
from agents.offline.true_action import TrueAction

MENTIONS = ("no", "words", "list", "echo", "comment")
"""What a looker says of its peers in a generation in which it does not look at them."""


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
