"""The marks of steering in a run's space, read as they come."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from hyperspace.kernel.state.marks import RunMarks, convert
from hyperspace.kernel.state.scopes import COORDINATOR, NEEDS, PRINCIPAL, STEERING
from hyperspace.kernel.state.steering.records import (
    AnswerNeed,
    ForkAgent,
    NeedContext,
    PauseRun,
    Place,
    PrincipalMark,
    ResumeRun,
    Steering,
    StopAgent,
    TakenSteering,
)
from markspace import Action, MarkType, Need


class WrittenSteering(NamedTuple):
    """A mark of the principal.

    Attributes:
        id: Of the mark.
        sequence: Its place in the order of writing.
        steering: What it asks.
        written_utc: When (ISO 8601).
        during: What agents had begun by then.
    """

    id: str
    sequence: int
    steering: Steering
    written_utc: str
    during: Mapping[str, Place]


class SteeringMarks:
    """What the principal wrote into a run's space, and what the coordinator took of it.

    Only marks of these two count, whoever else has written there.

    Attributes:
        marks: The run's.
        written: Of the principal, in order of writing.
        taken: Of the coordinator, in order of writing.
    """

    def __init__(self, marks: RunMarks) -> None:
        self.marks = marks
        self.written: list[WrittenSteering] = []
        self.taken: list[TakenSteering] = []
        self._read: set[UUID] = set()

    def refresh(self) -> None:
        """Read what came since.

        Raises:
            RunDamaged: A mark is not what was committed, or has no form of ours.
        """
        space = self.marks.space
        if not space.is_registered(STEERING):
            return  # the principal makes it with the first mark
        actions = [
            mark
            for scope in (STEERING, NEEDS)
            for mark in space.read(scope, mark_type=MarkType.ACTION, min_strength=0.0)
            if mark.id not in self._read
        ]
        numbered = [(space.sequence_of(mark.id) or 0, mark) for mark in actions]
        for sequence, mark in sorted(numbered, key=lambda pair: pair[0]):
            self._read.add(mark.id)
            if isinstance(mark, Action):
                self._take(sequence, self.marks.attested(mark))

    def _take(self, sequence: int, mark: Action) -> None:
        if mark.agent_id == self.marks.author(PRINCIPAL):
            content = convert(PrincipalMark, mark.result)
            self.written.append(
                WrittenSteering(
                    str(mark.id), sequence, content.steering, content.written_utc, content.during
                )
            )
        elif mark.agent_id == self.marks.author(COORDINATOR) and mark.scope == STEERING:
            self.taken.append(convert(TakenSteering, mark.result))

    @property
    def is_paused(self) -> bool:
        """True if the principal paused the run and has not let it go on since."""
        words = [w.steering for w in self.written if isinstance(w.steering, PauseRun | ResumeRun)]
        return bool(words) and isinstance(words[-1], PauseRun)

    def joined_at(self, agent: str) -> int:
        """Sequence of the mark that let an agent join; 0 if it was there from the start."""
        return max(
            (
                written.sequence
                for written in self.written
                if isinstance(written.steering, ForkAgent) and written.steering.name == agent
            ),
            default=0,
        )

    def answer_to(self, need: str) -> AnswerNeed | None:
        """The answer to a need, by its id; None if there is none."""
        answers = (w.steering for w in self.written if isinstance(w.steering, AnswerNeed))
        return next((answer for answer in answers if answer.need == need), None)


def all_needs(marks: RunMarks) -> list[Need]:
    """Every need that agents raised, open or answered, in order of writing."""
    space = marks.space
    needs: dict[int, Need] = {}
    for mark in space.read(NEEDS, mark_type=MarkType.NEED, min_strength=0.0):
        raised = mark
        while raised is not None and raised.supersedes is not None:  # an answer puts a copy there
            raised = space.get_mark(raised.supersedes)
        if isinstance(raised, Need):
            needs[space.sequence_of(raised.id) or 0] = raised
    return [needs[sequence] for sequence in sorted(needs)]


def asked_in(marks: RunMarks, answer: AnswerNeed) -> NeedContext | None:
    """Return the generation that asked what is answered; None if no mark of a need is there."""
    need = marks.space.get_mark(UUID(answer.need))
    return convert(NeedContext, need.context) if isinstance(need, Need) else None


def awaited(marks: RunMarks, answer: AnswerNeed) -> NeedContext | None:
    """Return the closed generation that waited for an answer and had it; None if none did."""
    origin = asked_in(marks, answer)
    if origin is None or not marks.is_closed(origin.agent, origin.generation):
        return None
    raised = marks.closing(origin.agent, origin.generation).manifest.needs
    waited = any(n.question == answer.question and n.answer is not None for n in raised)
    return origin if waited else None


def stopped_agents(marks: RunMarks) -> set[str]:
    """Return the agents that the principal has stopped, as far as they have taken it."""
    steering = SteeringMarks(marks)
    steering.refresh()
    stops = {each.id for each in steering.written if isinstance(each.steering, StopAgent)}
    return {look.agent for look in steering.taken if stops.intersection(look.marks)}
