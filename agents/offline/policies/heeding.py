"""A worker that searches where a reviewer's advice points; and how it reads advice."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.offline.conversation import Conversation
from agents.offline.moves.searching import HELPERS, CodeSearch, improve, write
from agents.offline.moves.tuning import NO_LABELS
from agents.offline.plan import CandidPlan
from agents.offline.planned import PlannedPolicy
from agents.offline.record import Situation, read_record
from agents.offline.tool_steps import Workspace, run_program
from agents.offline.true_action import TrueAction

_FENCED = re.compile(r"^```json\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Heeding(PlannedPolicy):
    """A search policy that climbs in the functions and lines which advice names.

    It believes what it is told: whether a change helps is decided on the training items, but where
    changes are made is the reviewer's word. Without advice, and where the task agent asks a model
    or has no labels, it does what a climber does.
    """

    trials: int = 60
    spread: float = 0.3

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Read the advice, and search where it points."""
        advice = [words_of(record) for record in advice_in(task.instruction)][::-1]
        record = yield from read_record(space)
        scene = Situation(space, record, task.seed)
        seed = scene.seed_for("heeding")
        if advice:
            order: dict[str, Any] = {"code": scene.code, "items": scene.items, "advice": advice}
            order |= {"trials": self.trials, "spread": self.spread, "seed": seed}
            say = f"I try {self.trials} changes where the advice points."
            action = TrueAction("search", f"heed: {self.trials} variants of its own code")
            result = yield from run_program(say, "advised/heed", order, HELPERS, action)
            where = ", ".join(result.get("places", ())) or "everywhere"
            if result.get("status") == "better":
                words = f"{where}: mean loss {result['before']} to {result['after']}"
                return (yield from write(scene, result, words))
            if result.get("status") == "unchanged":
                return f"Nothing could be changed for the better in {where}."
            if result.get("status") != "asks_model" and result.get("error") != NO_LABELS:
                return f"The search failed ({result.get('error', 'it said nothing')})."
        return (yield from improve(scene, CodeSearch("climb", self.trials, 1, self.spread, seed)))


def advice_in(instruction: str) -> Iterator[dict[str, Any]]:
    """Yield the records of advice that an instruction holds, in its order."""
    for fenced in _FENCED.findall(instruction):
        try:
            record: Any = json.loads(fenced)
        except ValueError:
            continue
        if isinstance(record, dict) and {"issue_type", "fix"} <= {*record}:
            yield record


def words_of(record: dict[str, Any]) -> list[str]:
    """Return the words of a record of advice that may be names in code, each once."""
    words = re.findall(r"\w{3,}", f"{record['issue_type']} {record['fix']}")
    return list(dict.fromkeys(words))
