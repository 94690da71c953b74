"""Events of the marks of steering: what the principal asks, what took effect, what agents ask."""

from collections.abc import Iterator
from uuid import UUID

from hyperspace.kernel.state.marks import RunMarks, convert
from hyperspace.kernel.state.scopes import COORDINATOR, PRINCIPAL
from hyperspace.kernel.state.steering.records import (
    AnswerNeed,
    NeedContext,
    PrincipalMark,
    TakenSteering,
    addressee,
    told,
)
from hyperspace.runs.following.events import (
    Event,
    NeedAnswered,
    NeedRaised,
    SteeringAsked,
    SteeringTaken,
)
from markspace import Action, Need


def steering_events(marks: RunMarks, mark: Action | Need, sequence: int) -> Iterator[Event]:
    """Return the events of a mark in the scopes of steering and of needs."""
    if isinstance(mark, Need):
        if mark.supersedes is None:
            origin = convert(NeedContext, mark.context)
            yield NeedRaised(
                sequence=sequence,
                need=str(mark.id),
                agent=origin.agent,
                generation=origin.generation,
                question=mark.question,
                blocking=mark.blocking,
            )
    elif mark.agent_id == marks.author(PRINCIPAL):
        wish = convert(PrincipalMark, mark.result).steering
        yield SteeringAsked(
            sequence=sequence, verb=wish.verb, agent=addressee(wish), text=told(wish)
        )
        if isinstance(wish, AnswerNeed):
            yield NeedAnswered(sequence=sequence, agent=wish.agent, need=wish.need, text=wish.text)
    elif mark.agent_id == marks.author(COORDINATOR):
        look = convert(TakenSteering, mark.result)
        marked = (marks.space.get_mark(UUID(name)) for name in look.marks)
        wishes = (
            convert(PrincipalMark, wish.result) for wish in marked if isinstance(wish, Action)
        )
        yield SteeringTaken(
            sequence=sequence,
            agent=look.agent,
            generation=look.generation,
            texts=tuple(told(wish.steering) for wish in wishes),
        )
