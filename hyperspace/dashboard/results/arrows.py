"""Adoptions of a run as arrows: from the point of the strategy to that of the generation.

Those of a finished run are on record. Of one that goes on they are judged closing by closing, a
little at a time, so that no page waits for a long run.
"""

import re
import time
from collections.abc import Iterable
from typing import Final

import msgspec

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import reading
from hyperspace.reporting.lines import counted, score
from hyperspace.runs.following.events import Adopted
from hyperspace.runs.following.follower import Follower
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.recorded import recorded_in
from transfer_experiment.live_adoptions import AdoptionEvents

MOST_EVIDENCE: Final = 4
LEARN_S: Final = 0.1  # that a page or a look spends on adoptions that are not judged yet
UNNAMED: Final = "-"  # in addresses and ids, the agent of a run whose only agent has no name
_NO_ID: Final = re.compile(r"[^A-Za-z0-9_.-]")


class AdoptionArrow(msgspec.Struct, frozen=True):
    """One adoption.

    Attributes:
        id: Names it on the page of all adoptions.
        agent: Who adopted.
        generation: When.
        peer: Whose strategy.
        peer_generation: Which of its generations.
        ratio: d_peer / (d_own + d_peer); 0 is a pure copy.
        before: Validation score of the adopter before.
        after: Validation score after.
        peer_lines: Lines of the peer that came in.
        valid: Whether the agents still reacted to what they saw.
        evidence: Where it was read or spoken of, `file:line`; the first few.
        told: All of this in a few lines.
    """

    id: str
    agent: str
    generation: int
    peer: str
    peer_generation: int
    ratio: float
    before: float | None
    after: float | None
    peer_lines: int
    valid: bool
    evidence: tuple[str, ...]
    told: str


class RunArrows:
    """The adoptions of a run of ours, as far as they are known by now.

    Attributes:
        known: In the order in which they happened, as far as that is known.
        is_complete: Whether nothing is waiting to be judged.
        problem: Why they cannot be told; empty if they can.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.known: list[AdoptionArrow] = []
        self.is_complete = False
        self.problem = ""
        self._folder = folder
        self._follower: Follower | None = None
        self._is_recorded = False

    def advance(self, seconds: float) -> None:
        """Learn of more of them, for about so long.

        Raises:
            RunUsageError: Another version wrote the run.
            RunDamaged: The run or its space is gone, or the record of adoptions is not its own.
            StoreError: The space cannot be read.
        """
        if self._is_recorded or self.problem:
            return
        if self._follower is None and self._take_recorded():
            return
        self._follower = self._follower or Follower(self._folder.root, AdoptionEvents)
        end_s = time.monotonic() + seconds
        while True:
            look = self._follower.look()
            self._add(event for event in look.events if isinstance(event, Adopted))
            self.is_complete = not look.is_behind
            if self.is_complete or time.monotonic() > end_s:
                return

    def _take_recorded(self) -> bool:
        """Take those on record in the summary; False where there is none."""
        if not self._folder.summary.is_file():
            return False
        config = read_record_of(self._folder.root).configuration
        try:
            with reading(self._folder, config) as marks:
                events = recorded_in(self._folder, marks.space)
        except RunDamaged as error:
            self.problem = str(error)
            return True
        if events is None:
            return False
        self._add(events)
        self._is_recorded = self.is_complete = True
        return True

    def _add(self, events: Iterable[Adopted | Adoption]) -> None:
        self.known += [arrow for event in events if (arrow := arrow_of(event)) is not None]


def adoption_id(agent: str, generation: int, peer: str, of: int | str) -> str:
    """Return the id of an event on a page: AGENT-GENERATION-PEER-GENERATION.

    Args:
        agent: Who moved; empty where it has no name.
        generation: When.
        peer: Towards whom.
        of: Generation of the peer's strategy, or its folder where that names none.
    """
    return _NO_ID.sub("_", f"{agent or UNNAMED}-{generation}-{peer}-{of}")


def arrow_of(event: Adopted | Adoption) -> AdoptionArrow | None:
    """Return an event as an arrow; None where its strategy names no generation."""
    number = event.strategy.rpartition("_gen")[2]
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return None
    evidence = [
        row if isinstance(row, str) else f"{row.file}:{row.line}"
        for row in event.evidence[:MOST_EVIDENCE]
    ]
    doubt = "" if event.valid else " (not valid: a recorded agent was asked something else)"
    told = (
        f"{event.agent} gen {event.generation} adopted {event.peer} gen {int(number)}{doubt}",
        f"ratio {event.ratio:.3f}, {counted(event.peer_lines, 'line')} of the peer",
        f"val {score(event.score_before)} -> {score(event.score_after)}",
        *dict.fromkeys(evidence),
    )
    return AdoptionArrow(
        id=adoption_id(event.agent, event.generation, event.peer, int(number)),
        agent=event.agent,
        generation=event.generation,
        peer=event.peer,
        peer_generation=int(number),
        ratio=event.ratio,
        before=event.score_before,
        after=event.score_after,
        peer_lines=event.peer_lines,
        valid=event.valid,
        evidence=tuple(dict.fromkeys(evidence)),
        told="\n".join(told),
    )
