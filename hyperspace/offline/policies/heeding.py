"""A worker that searches where a reviewer's advice points; and how it reads advice."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from guards.parsing import decode_json
from hyperspace.offline.conversation import Conversation
from hyperspace.offline.moves.searching import CodeSearch, improve
from hyperspace.offline.moves.tuning import CPU_S
from hyperspace.offline.plan import CandidPlan
from hyperspace.offline.planned import PlannedPolicy
from hyperspace.offline.record import Situation, read_record
from hyperspace.offline.tool_steps import Workspace

_FENCED = re.compile(r"^```json\n(.*?)^```", re.DOTALL | re.MULTILINE)
_MARKED = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Heeding(PlannedPolicy):
    """A search policy that climbs, and makes about half of its changes where advice points.

    The other half is made anywhere, so that bad advice costs it half of its search at most.
    Whether a change helps is decided on the training items. Without advice it climbs as a climber
    does.
    """

    trials: int = 60
    spread: float = 0.3
    cpu_s: int = CPU_S

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Read the advice, and search."""
        advice = [*advice_in(task.instruction)][::-1]
        record = yield from read_record(space)
        scene = Situation(space, record, task.seed)
        seed = scene.seed_for("heeding")
        search = CodeSearch("climb", self.trials, 1, self.spread, seed, cpu_s=self.cpu_s)
        return (yield from improve(scene, search, advice=passages_of(advice)))


def advice_in(instruction: str) -> Iterator[dict[str, Any]]:
    """Yield the records of advice that an instruction holds, in its order."""
    for fenced in _FENCED.findall(instruction):
        try:
            record: Any = decode_json(fenced, object)
        except ValueError:
            continue
        if isinstance(record, dict) and {"issue_type", "fix"} <= {*record}:
            yield record


def passages_of(advice: list[dict[str, Any]]) -> list[list[str]]:
    """Return the passages of each piece of advice that may be names in code, each once.

    Those that a piece marks as code with backticks; where it marks none its words, but for words
    that all pieces share: every piece of a reviewer has those, whatever it is about.
    """
    texts = [f"{record['issue_type']} {record['fix']}" for record in advice]
    words = [list(dict.fromkeys(re.findall(r"\w{3,}", text))) for text in texts]
    shared = {w for own in words for w in own if len({*texts}) > 1 and all(w in o for o in words)}
    return [
        list(dict.fromkeys(_MARKED.findall(text))) or [w for w in own if w not in shared]
        for text, own in zip(texts, words, strict=True)
    ]
