"""The base of personas: the situation at the start of each generation, and ordinary work."""

import random
import shlex
from abc import abstractmethod
from collections.abc import Generator
from typing import NamedTuple

from agents.offline.conversation import Conversation, draw_seed
from agents.offline.moves.searching import CodeSearch, improve, return_to_best
from agents.offline.plan import CandidPlan, PlanStep
from agents.offline.planned import PlannedPolicy
from agents.offline.record import Version, VersionRecord, read_record
from agents.offline.tool_steps import Workspace, bash, read_code
from agents.offline.true_action import TrueAction

_TRIALS = 12
_SPREAD = 0.3


class Situation(NamedTuple):
    """Where a persona stands at the start of a generation.

    Attributes:
        space: The workspace.
        record: What it knows of its own versions.
        seed: The request's seed.
    """

    space: Workspace
    record: VersionRecord
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
        """Draw whether something happens that happens in a share of generations."""
        rng = random.Random(self.seed_for(name))  # noqa: S311 - a habit, no secret
        return rng.random() < share


class Persona(PlannedPolicy):
    """A policy with a known behaviour."""

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Read the own record, and then behave."""
        record = yield from read_record(space)
        return (yield from self.behave(Situation(space, record, task.seed)))

    @abstractmethod
    def behave(self, scene: Situation) -> CandidPlan:
        """Do what the persona does in this generation."""


def work(scene: Situation) -> CandidPlan:
    """An ordinary generation: go back if the last step hurt, change one place of the own code."""
    yield from return_to_best(scene.space, scene.record)
    search = CodeSearch("mutate", _TRIALS, 1, _SPREAD, scene.seed_for("work"))
    return (yield from improve(scene.space, scene.record, search))


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
