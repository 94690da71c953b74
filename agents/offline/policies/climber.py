"""Climber: hill climbing with restarts, within a generation and across generations."""

import random
from collections.abc import Generator

from agents.offline.conversation import Conversation, draw_seed
from agents.offline.moves.searching import CodeSearch, improve, return_to_best
from agents.offline.plan import CandidPlan, PlanStep
from agents.offline.planned import PlannedPolicy
from agents.offline.record import VersionRecord, read_record
from agents.offline.tool_steps import Workspace, copy
from agents.offline.true_action import TrueAction


class Climber(PlannedPolicy):
    """A search policy that takes each change that helps and goes on from there.

    Each generation climbs from the best version and from shaken ones. When no generation was a new
    best for `patience` generations, it starts again from some earlier version of its own.
    """

    def __init__(
        self, trials: int = 90, restarts: int = 3, patience: int = 3, spread: float = 0.3
    ) -> None:
        self._trials = trials
        self._restarts = restarts
        self._patience = patience
        self._spread = spread

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Begin to work on a workspace."""
        record = yield from read_record(space)
        seed = draw_seed("climber", task.seed, record.generation)
        if record.waited() and record.waited() % self._patience == 0:
            yield from _start_again(space, record, seed)
        else:
            yield from return_to_best(space, record)
        search = CodeSearch("climb", self._trials, self._restarts, self._spread, seed)
        return (yield from improve(space, record, search))


def _start_again(
    space: Workspace, record: VersionRecord, seed: int
) -> Generator[PlanStep, str, None]:
    rng = random.Random(seed)  # noqa: S311 - a search, no secret
    chosen = rng.choice([version for version in record.versions if version.valid])
    why = f"Nothing was better for {record.waited()} generations; I restart from {chosen.path}."
    yield from copy(why, chosen.code, space.at("task_agent.py"), TrueAction("restore", why))
