"""How often the guard refused something, generation by generation: audit.jsonl, as it grows."""

from typing import Final, Literal

import msgspec

from hyperspace.kernel.state.folder import RunFolder
from hyperspace.runs.following.money import GenerationColumn
from hyperspace.runs.following.tail import LineDamaged, LineTail


class _AuditLine(msgspec.Struct, frozen=True):
    agent: str = ""
    generation: int | Literal["test"] | None = None
    verdict: str = ""
    reason: str = ""


_DECODER: Final = msgspec.json.Decoder(_AuditLine)


class RunRefusals:
    """The refusals of a run; each look reads what is new.

    Attributes:
        counts: By generation, of each agent.
        total: How many there were.
        pause: Why the run paused last; empty if it never did.
        problem: Why the file cannot be read any further; empty if it can.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.counts: dict[str, GenerationColumn] = {}
        self.total = 0
        self.pause = ""
        self.problem = ""
        self._tail = LineTail(folder.audit)

    def look(self) -> None:
        """Read what was added."""
        try:
            for lines in self._tail.look(_DECODER):
                if self._tail.was_replaced:
                    self.counts, self.total = {}, 0
                for line in lines:
                    self._take(line)
        except (OSError, LineDamaged) as error:
            self.problem = f"audit.jsonl, {error}"

    def _take(self, line: _AuditLine) -> None:
        if line.verdict == "paused" and not line.agent:
            self.pause = line.reason
        if line.agent and line.verdict != "flagged":
            self.total += 1
            if isinstance(line.generation, int):
                column = self.counts.setdefault(line.agent, GenerationColumn())
                column.add(((line.generation, 1),))
