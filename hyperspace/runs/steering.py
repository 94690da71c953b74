"""What the principal asked of a run, whether it took effect, and what agents ask; read only."""

from pathlib import Path
from typing import Final, Literal

import msgspec

from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST
from hyperspace.kernel.state.marks import RunMarks, convert
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.scopes import STEERING
from hyperspace.kernel.state.steering.marks import (
    SteeringMarks,
    WrittenSteering,
    all_needs,
    awaited,
)
from hyperspace.kernel.state.steering.records import (
    EVERYONE,
    AnswerNeed,
    ForkAgent,
    GiveUp,
    NeedContext,
    PinParent,
    SayTo,
    addressee,
    told,
)
from markspace import Need

SteeringEffect = Literal["pending", "applied", "too late"]
_BEFORE_TEST: Final = (ForkAgent, PinParent, SayTo)  # they are about generations


class SteeringPlace(msgspec.Struct, frozen=True):
    """Where a wish of the principal took effect.

    Attributes:
        agent: At whose look.
        generation: Before which generation, or `test`.
    """

    agent: str
    generation: int | str


class SteeringEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One mark of the principal.

    Attributes:
        sequence: Its place in the order of marks.
        verb: `pause`, `resume`, `stop-agent`, `pin`, `fork`, `say`, `answer`, `quota`, `give-up`.
        agent: Whom it is about; `all` for everyone.
        text: All of it, in the words of the command line.
        written_utc: When.
        effect: `applied` once every agent that it is about has looked; `too late` where no
            generation was left, or what is given up was closed before.
        places: Where it took effect.
    """

    sequence: int
    verb: str
    agent: str
    text: str
    written_utc: str
    effect: SteeringEffect
    places: tuple[SteeringPlace, ...]


class NeedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A question of an agent.

    Attributes:
        id: Of its mark; `answer` takes the first characters of it.
        agent: Who asked.
        generation: In which generation.
        question: What it asked; an agent's words.
        blocking: Whether the agent waits for the answer.
        answer: None while it is open.
        answered_utc: When; empty while it is open.
    """

    id: str
    agent: str
    generation: int
    question: str
    blocking: bool
    answer: str | None = None
    answered_utc: str = ""


class RunSteering(msgspec.Struct, frozen=True, kw_only=True):
    """The steering of a run, as of now.

    Attributes:
        paused: Whether the run is to wait before its next look.
        marks: What the principal asked, in order of writing.
        needs: What agents asked, in order of writing.
    """

    paused: bool
    marks: tuple[SteeringEntry, ...]
    needs: tuple[NeedEntry, ...]

    @property
    def open_needs(self) -> tuple[NeedEntry, ...]:
        """The needs that wait for an answer."""
        return tuple(need for need in self.needs if need.answer is None)


def read_steering(run: Path) -> RunSteering:
    """Read the steering of a run, whether it goes on or is finished; writes nothing.

    Raises:
        RunUsageError: There is no run in this folder.
        RunDamaged: Its space is lost, or a mark of it has no form of ours.
    """
    config = read_record_of(run).configuration
    with reading(RunFolder(run), config) as marks:
        return steering_of(marks)


def steering_of(marks: RunMarks) -> RunSteering:
    """Return the steering of a run whose space was opened just now."""
    steering = SteeringMarks(marks)
    if marks.space.defined_scope(STEERING) is not None:  # made with the first mark
        steering.refresh()
    return RunSteering(
        paused=steering.is_paused,
        marks=tuple(_entry(steering, written) for written in steering.written),
        needs=tuple(_need(steering, need) for need in all_needs(marks)),
    )


def _entry(steering: SteeringMarks, written: WrittenSteering) -> SteeringEntry:
    wish, marks = written.steering, steering.marks
    places = [
        SteeringPlace(look.agent, look.generation)
        for look in steering.taken
        if written.id in look.marks
    ]
    if isinstance(wish, AnswerNeed) and (origin := awaited(marks, wish)) is not None:
        places.append(SteeringPlace(origin.agent, origin.generation))
    agent = addressee(wish)
    everyone = (n for n in marks.config.agents if steering.joined_at(n) < written.sequence)
    due = {*everyone} if agent == EVERYONE else {agent}
    missing = due - {each.agent for each in places}
    is_late = isinstance(wish, _BEFORE_TEST) and all(each.generation == TEST for each in places)
    if isinstance(wish, GiveUp) and missing and marks.is_closed(wish.agent, wish.generation):
        missing, is_late = set[str](), True
    return SteeringEntry(
        sequence=written.sequence,
        verb=wish.verb,
        agent=agent,
        text=told(wish),
        written_utc=written.written_utc,
        effect="pending" if missing else "too late" if is_late else "applied",
        places=tuple(places),
    )


def _need(steering: SteeringMarks, need: Need) -> NeedEntry:
    origin = convert(NeedContext, need.context)
    name = str(need.id)
    answers = [
        (written.steering.text, written.written_utc)
        for written in steering.written
        if isinstance(written.steering, AnswerNeed) and written.steering.need == name
    ]
    answer, answered_utc = answers[0] if answers else (None, "")
    return NeedEntry(
        id=name,
        agent=origin.agent,
        generation=origin.generation,
        question=need.question,
        blocking=need.blocking,
        answer=answer,
        answered_utc=answered_utc,
    )


def place_text(place: SteeringPlace) -> str:
    """Return where something took effect, for people."""
    return f"{place.agent} {TEST if place.generation == TEST else f'gen {place.generation}'}"
