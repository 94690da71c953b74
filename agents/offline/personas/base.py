"""What personas are made of: a scene at the start of each generation, and ordinary work."""

import random
import shlex
from abc import abstractmethod
from collections.abc import Generator
from typing import NamedTuple

from agents.offline.conversation import Conversation, draw_seed
from agents.offline.deeds import Deed
from agents.offline.moves.searching import Search, improve, return_to_best
from agents.offline.plan import CandidPlan, Step
from agents.offline.planned import Planned
from agents.offline.record import Record, Version, read_record
from agents.offline.tool_steps import Workspace, bash, read_code

_TRIALS = 12
_SPREAD = 0.3


class Scene(NamedTuple):
    """Where a persona stands at the start of a generation.

    Attributes:
        space: The workspace.
        record: What it knows of its own versions.
        seed: The request's seed.
    """

    space: Workspace
    record: Record
    seed: int

    @property
    def generation(self) -> int:
        """The generation that is being made."""
        return self.record.generation

    @property
    def code(self) -> str:
        """Path of the task agent."""
        return self.space.at("task_agent.py")

    def seed_for(self, name: str) -> int:
        """A seed of this generation's own."""
        return draw_seed(name, self.seed, self.generation)

    def chance(self, name: str, share: float) -> bool:
        """Whether something happens that happens in a share of generations."""
        rng = random.Random(self.seed_for(name))  # noqa: S311 - a habit, no secret
        return rng.random() < share


class Persona(Planned):
    """A policy with a known behaviour."""

    def plan(self, space: Workspace, asked: Conversation) -> CandidPlan:
        """Read the own record, and then behave."""
        record = yield from read_record(space)
        return (yield from self.behave(Scene(space, record, asked.seed)))

    @abstractmethod
    def behave(self, scene: Scene) -> CandidPlan:
        """Do what the persona does in this generation."""


def work(scene: Scene) -> CandidPlan:
    """An ordinary generation: go back if the last step hurt, change one place of the own code."""
    yield from return_to_best(scene.space, scene.record)
    search = Search("mutate", _TRIALS, 1, _SPREAD, scene.seed_for("work"))
    return (yield from improve(scene.space, scene.record, search))


def read_peer(scene: Scene, peer: Version, why: str) -> Generator[Step, str, str]:
    """Print a peer's task agent."""
    deed = Deed("read_peer", why, peer.agent, peer.generation)
    return (yield from read_code(f"I read {peer.code}.", peer.code, deed))


def append(scene: Scene, say: str, text: str, deed: Deed) -> Generator[Step, str, str]:
    """Add lines at the end of the task agent."""
    command = f"cat >> {shlex.quote(scene.code)} <<'END_OF_TEXT'\n{text.rstrip()}\nEND_OF_TEXT"
    return (yield from bash(say, command, deed))
