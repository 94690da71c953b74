"""The records of steering, as marks and closing manifests hold them (docs/guide/steering.md).

A steering record is written by the principal, who is the person that began the run. It takes
effect at a look: where an agent is about to begin a generation, or its final evaluation. A
generation that is under way can be given up in the middle.
"""

from typing import Final

import msgspec

EVERYONE: Final = "all"
NO_PIN: Final = "-"
LONGEST_TEXT: Final = 4000  # characters, of a message or an answer
LONGEST_QUESTION: Final = 2000  # characters
MOST_NEEDS: Final = 10  # in one generation


Place = int | str
"""A generation, or `test`."""


class _Steered(msgspec.Struct, frozen=True, kw_only=True, tag_field="verb"):
    """A wish of the principal."""

    @property
    def verb(self) -> str:
        """Its name on the command line."""
        return str(self.__struct_config__.tag)


class PauseRun(_Steered, frozen=True, tag="pause"):
    """The run waits before the next look of every agent."""


class ResumeRun(_Steered, frozen=True, tag="resume"):
    """A run that waits goes on."""


class StopAgent(_Steered, frozen=True, tag="stop-agent"):
    """An agent plays no further generation; its best one is tested at the end."""

    agent: str


class PinParent(_Steered, frozen=True, tag="pin"):
    """An agent's further generations are forked from this one; None: as the run's rule says."""

    agent: str
    generation: int | None


class ForkAgent(_Steered, frozen=True, kw_only=True, tag="fork"):
    """A new agent begins with code of another one, and plays for the rest of the run.

    Attributes:
        agent: Whose code it begins with.
        generation: Of which generation.
        name: What it is called.
        model: The model behind it, as people write it.
    """

    agent: str
    generation: int
    name: str
    model: str


class SayTo(_Steered, frozen=True, tag="say"):
    """A message, which an agent finds in the workspace of its next generation.

    Attributes:
        agent: Who is told; `all` for everyone.
        text: At most `LONGEST_TEXT` characters.
    """

    agent: str
    text: str


class AnswerNeed(_Steered, frozen=True, tag="answer"):
    """The answer to a need.

    Attributes:
        agent: Who asked.
        need: Id of the need.
        question: What was asked.
        text: The answer, at most `LONGEST_TEXT` characters.
    """

    agent: str
    need: str
    question: str
    text: str


class SetQuota(_Steered, frozen=True, kw_only=True, tag="quota"):
    """What an agent may take in all, from the next look on; None leaves what held before.

    Attributes:
        agent: Whose.
        calls: Model calls.
        usd: US dollars.
        tokens: Tokens sent and received.
    """

    agent: str
    calls: int | None = None
    usd: float | None = None
    tokens: int | None = None

    def after(self, before: "SetQuota | None") -> "SetQuota":
        """Return what holds after this one, where another held before."""
        if before is None:
            return self
        return SetQuota(
            agent=self.agent,
            calls=before.calls if self.calls is None else self.calls,
            usd=before.usd if self.usd is None else self.usd,
            tokens=before.tokens if self.tokens is None else self.tokens,
        )


class GiveUp(_Steered, frozen=True, tag="give-up"):
    """A generation that is under way is closed as one whose model did not answer.

    Attributes:
        agent: Whose.
        generation: Its number.
    """

    agent: str
    generation: int


Steering = (
    PauseRun
    | ResumeRun
    | StopAgent
    | PinParent
    | ForkAgent
    | SayTo
    | AnswerNeed
    | SetQuota
    | GiveUp
)


class RaisedNeed(msgspec.Struct, frozen=True):
    """A question that an agent put to the principal while it made a generation.

    Attributes:
        question: What it asked.
        blocking: Whether it waited for the answer.
        answer: What it was answered then; None if it did not wait.
    """

    question: str
    blocking: bool
    answer: str | None = None


class NeedContext(msgspec.Struct, frozen=True):
    """Where a need was raised; the context of its mark."""

    agent: str
    generation: int


class TakenSteering(msgspec.Struct, frozen=True):
    """The coordinator's word on what took effect, and where.

    Attributes:
        agent: Who looked.
        generation: Before which generation, or `test`.
        marks: Ids of the principal's marks that took effect there, in order of writing.
    """

    agent: str
    generation: Place
    marks: tuple[str, ...]


def addressee(steering: Steering) -> str:
    """Return the agent that a record is about; `all` for what is about the run."""
    return EVERYONE if isinstance(steering, PauseRun | ResumeRun) else steering.agent


def concerns(steering: Steering, agent: str) -> bool:
    """Return whether a record takes effect at the looks of an agent."""
    return addressee(steering) in (EVERYONE, agent)


def told(steering: Steering) -> str:
    """Return a record in the words of the command line, its text as it stands."""
    match steering:
        case PauseRun() | ResumeRun():
            return steering.verb
        case StopAgent():
            return f"{steering.verb} {steering.agent}"
        case PinParent():
            number = NO_PIN if steering.generation is None else steering.generation
            return f"{steering.verb} {steering.agent} {number}"
        case ForkAgent():
            source = f"{steering.verb} {steering.agent} {steering.generation}"
            return f"{source} --as {steering.name} --model {steering.model}"
        case GiveUp():
            return f"{steering.verb} {steering.agent} {steering.generation}"
        case SayTo():
            return f"{steering.verb} {steering.agent} {steering.text}"
        case AnswerNeed():
            return f"{steering.verb} {steering.need[:8]} {steering.text}"
        case SetQuota():
            limits = {name: getattr(steering, name) for name in ("calls", "usd", "tokens")}
            named = [f"--{name} {value}" for name, value in limits.items() if value is not None]
            return " ".join([steering.verb, steering.agent, *named])


class PrincipalMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of a mark of the principal.

    Attributes:
        steering: What is asked.
        written_utc: When (ISO 8601).
        during: What agents had begun and not closed by then: at these it takes no effect, also
            where they are killed and begun again.
    """

    steering: Steering
    written_utc: str
    during: dict[str, Place] = {}
