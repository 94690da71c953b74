"""Mender: repairs what does not run or does not answer in the right form, on any task."""

import shlex
from collections.abc import Generator
from typing import Any

from agents.offline.conversation import Conversation, draw_seed
from agents.offline.edits import Edit
from agents.offline.moves.recombination import CROSSING
from agents.offline.moves.searching import CodeSearch, improve, return_to_best, write
from agents.offline.plan import CandidPlan, PlanStep
from agents.offline.planned import PlannedPolicy
from agents.offline.record import OWN, Version, VersionRecord, read_record
from agents.offline.tool_steps import Workspace, bash, run_program
from agents.offline.true_action import TrueAction


class Mender(PlannedPolicy):
    """A search policy for format repair.

    If the latest generation failed its gates, it reads the error in `evals/` and mends that very
    code, which may hold a good idea. If the code at hand fails or answers in the wrong form, it
    mends that. Otherwise it changes its code as the mutator does.
    """

    def __init__(self, trials: int = 24, spread: float = 0.3) -> None:
        self._trials = trials
        self._spread = spread

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Begin to work on a workspace."""
        record = yield from read_record(space)
        latest = record.versions[-1] if record.versions else None
        failed = latest if latest is not None and not latest.valid else None
        if failed is None:
            yield from return_to_best(space, record)
        result = yield from _check(space, record, failed)
        if result.get("status") == "mended":
            what = ", ".join(map(str, result["fixes"])) or "nothing but its place"
            action = TrueAction("repair", f"mended {what}", amount=len(result["fixes"]))
            words = f"mended: {what}"
            return (yield from write(space, Edit(result["old"], result["new"]), words, action))
        seed = draw_seed("mender", task.seed, record.generation)
        search = CodeSearch("mutate", self._trials, 1, self._spread, seed)
        return (yield from improve(space, record, search))


def _check(
    space: Workspace, record: VersionRecord, failed: Version | None
) -> Generator[PlanStep, str, dict[str, Any]]:
    """Check the failed version, or what the workspace holds, and work out how to mend it."""
    if failed is not None:
        yield from bash(
            f"It failed: {failed.error}", f"cat {shlex.quote(failed.path)}/metadata.json"
        )
    order = {
        "code": space.at("task_agent.py"),
        "broken": failed.code if failed else space.at("task_agent.py"),
        "sound": record.best.code if record.best else "",
        "items": space.at(f"{OWN}/train_items.jsonl"),
    }
    say = "I check whether it runs and how it answers."
    return (yield from run_program(say, "mend", order, CROSSING))
