"""The seam to language models: one Protocol and its errors.

Errors::

    ModelError                 anything that kept a reply from coming back
    ├── UnknownModel           the name fits no model that we can reach (usage error)
    │   ├── WrongAddress       the endpoint sends us somewhere else
    │   └── BadConnectionSetting   a variable names a proxy or certificates that cannot be used
    ├── AuthFailed             the key is missing or was refused
    ├── OutOfCredit            the account has nothing left to spend
    ├── Transient              asking again later may help; `retry_after_s` if a pause was asked for
    │   ├── ProviderDown       nothing answered at the endpoint, or it failed
    │   ├── RateLimited        the provider asked for a pause
    │   ├── ReplyTruncated     the reply ended without saying why: never a result
    │   └── MalformedReply     what came back is not what the protocol says
    ├── BadRequest             the provider refused the request as malformed
    │   ├── Refused            the provider refused its content
    │   ├── ToolsUnsupported   the model cannot call tools
    │   ├── SealRefused        the provider cannot read the reasoning that came back to it
    │   └── NoRecordedAnswer   a recorded agent that plays along was never asked this
    ├── ContextOverflow        the conversation is longer than the model's context
    ├── FieldRefused           the model does not take a field that a person asked for
    ├── ServerRefuses          the provider refuses what no candidate has shaped
    ├── RepeatedlyMalformed    what comes back is unreadable in the same way each time
    ├── LimitReached           the run's own limit does not allow the call: the run pauses
    │   └── QuotaReached       an agent's own limit does not
    ├── UnknownPrice           money is limited and nobody knows what the model costs (usage error)
    └── ReplayMismatch         a recorded run has no answer to this request

Only `BadRequest` and `ContextOverflow` answer a request; whoever asked is told. All others say
nothing about the request: what is transient is tried again and then pauses the run as an outage,
the rest pauses it at once. So does a reply that is malformed three times in the same way: the code
that asked cannot mend it and must not be judged by it.
"""

from abc import ABC, abstractmethod
from typing import Any, Protocol, runtime_checkable

from hyperspace.messages import CallKey, CallPlace, ChatReply, ChatRequest, Usage
from hyperspace.models.token_room import Room


class ModelError(Exception):
    """A reply did not come back. The message says what was tried and what to do.

    Attributes:
        may_be_billed: Whether the provider may bill the attempt all the same. True unless it is
            certain that no reply was made, so that a lost reply is never taken for a free one.
        place: Which call of a run was not answered; None outside of runs.
    """

    may_be_billed = True
    place: CallPlace | None = None


class UnknownModel(ModelError):
    """No model goes by that name."""

    may_be_billed = False


class BadConnectionSetting(UnknownModel):
    """A variable of the environment names a proxy or certificates that cannot be used."""


class WrongAddress(UnknownModel):
    """The endpoint sends us somewhere else, where nobody told us to take a key."""


class AuthFailed(ModelError):
    """The key is missing or was refused."""

    may_be_billed = False


class OutOfCredit(ModelError):
    """The account has nothing left to spend."""

    may_be_billed = False


class Transient(ModelError):
    """Asking again later may help.

    Attributes:
        retry_after_s: Seconds to wait as the provider said; None if it did not.
        may_be_billed: False where nothing was sent, or the provider said that it made no reply.
        usage: Tokens that it took, where a reply came that nobody can read; None if not known.
    """

    usage: Usage | None = None

    def __init__(
        self, message: str, retry_after_s: float | None = None, *, may_be_billed: bool | None = None
    ) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        if may_be_billed is not None:
            self.may_be_billed = may_be_billed


class ProviderDown(Transient):
    """The endpoint did not answer or failed.

    Attributes:
        is_reached: Whether somebody listens there; False where no connection was made.
    """

    is_reached = True


class RateLimited(Transient):
    """The provider asks for a pause."""

    may_be_billed = False


class ReplyTruncated(Transient):
    """The reply ended without a finish reason."""


class MalformedReply(Transient):
    """The answer does not follow the protocol."""


class BadRequest(ModelError):
    """The provider refused the request as malformed."""

    may_be_billed = False


class Refused(BadRequest):
    """The provider refused the content of the request."""


class ToolsUnsupported(BadRequest):
    """The model cannot call tools."""


class SealRefused(BadRequest):
    """The provider cannot read reasoning that came back to it: it is of others, or was changed."""


class NoRecordedAnswer(BadRequest):
    """A recorded agent was not asked anything at this place."""


class ContextOverflow(ModelError):
    """The conversation is longer than the model's context."""

    may_be_billed = False


class FieldRefused(ModelError):
    """The model does not take a field that could as well be left out, or not with this value.

    Attributes:
        field: The field's name on the wire.
        room: What is said of the tokens that a reply may have; None for nothing.
    """

    may_be_billed = False

    def __init__(self, message: str, field: str, room: Room | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.room = room


class ServerRefuses(ModelError):
    """The provider refuses a request that no code in a sandbox has shaped."""

    may_be_billed = False


class RepeatedlyMalformed(ModelError):
    """What comes back is unreadable, in the same way each time: that is no outage."""

    may_be_billed = False


class LimitReached(ModelError):
    """A limit that the person set for the whole run does not allow another call."""

    may_be_billed = False


class QuotaReached(LimitReached):
    """A limit that the person set for one agent does not allow it another call."""


class BudgetReached(LimitReached):
    """A run's own terms allow its search no other call."""


class UnknownPrice(ModelError):
    """The run's money is limited and a model's price is not known."""

    may_be_billed = False


class ReplayMismatch(ModelError):
    """The record holds no answer to this request."""


class Model(Protocol):
    """A language model, or something that answers like one.

    Contract: `complete` takes one request and returns one finished reply or raises a `ModelError`;
    usage is always filled. It keeps no conversation state: equal requests to a deterministic model
    give equal replies. It retries nothing (`policy.retrying` does, around it) and may be called
    concurrently.
    """

    @property
    def name(self) -> str:
        """The name as the person wrote it."""
        ...

    @property
    def offline(self) -> bool:
        """True when it needs no network and costs nothing."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; see the class for errors and guarantees."""
        ...

    async def check(self) -> None:
        """Make sure, cheaply and before a run, that the model can be reached at all.

        Raises:
            ProviderDown: Nothing answers at the endpoint.
            AuthFailed: The key is missing or was refused.
        """
        ...

    async def aclose(self) -> None:
        """Release connections. Safe to call twice."""
        ...


@runtime_checkable
class PlacedModel(Model, Protocol):
    """A model that must know where in a run it is asked, such as a recording."""

    async def answer_at(self, attempt: str, key: CallKey, request: ChatRequest) -> ChatReply:
        """Answer one request at its place; else like `complete`.

        Args:
            attempt: `gen_<n>` or `test_eval`.
            key: The call's place within the attempt.
            request: What is asked.
        """
        ...


def address_of(model: Model) -> str:
    """The endpoint that a model is asked at, as its `address`; empty if it does not say."""
    # Not by a protocol: to check for one looks the address up, through every wrapper twice.
    return getattr(model, "address", "")


def adapt(model: Model, adaptation: Any) -> None:
    """Let a model ask in the way that is on record; one that knows no other is as it is."""
    if (take := getattr(model, "adapt", None)) is not None:
        take(adaptation)


class Wrapper(ABC):
    """A model that answers through another one and is named, placed and released as that one.

    Such are a meter, retries, tools as text.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._model.name

    @property
    def offline(self) -> bool:
        """True when the wrapped model needs no network."""
        return self._model.offline

    @property
    def address(self) -> str:
        """Where the wrapped model is asked."""
        return address_of(self._model)

    @abstractmethod
    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; see `Model`."""

    @property
    def facts(self) -> Any:
        """What a server nearby said of the model (`hyperspace.models.local_server`), or None."""
        return getattr(self._model, "facts", None)

    def adapt(self, adaptation: Any) -> None:
        """Let an adaptation hold that is on record (`hyperspace.models.request_fields`)."""
        adapt(self._model, adaptation)

    async def check(self) -> None:
        """Check the wrapped model, once: a person waits for the answer."""
        await self._model.check()

    async def aclose(self) -> None:
        """Release the wrapped model's connections."""
        await self._model.aclose()
