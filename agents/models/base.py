"""The seam to language models: one Protocol and its errors.

Errors::

    ModelError                 anything that kept a reply from coming back
    ├── UnknownModel           the name fits no model that we can reach (usage error)
    ├── ProviderDown           nothing answered at the endpoint, or it kept failing: transient
    ├── RateLimited            the provider asked for a pause; `retry_after_s` if it said how long
    ├── AuthFailed             the key is missing or was refused
    ├── BadRequest             the provider refused the request as malformed
    ├── ContextOverflow        the conversation is longer than the model's context
    ├── ReplyTruncated         the reply ended without saying why: never a result
    └── ReplayMismatch         a recorded run has no answer to this request
"""

from typing import Protocol

from agents.messages import ChatReply, ChatRequest


class ModelError(Exception):
    """A reply did not come back. The message says what was tried and what to do."""


class UnknownModel(ModelError):
    """No model goes by that name."""


class ProviderDown(ModelError):
    """The endpoint did not answer or kept failing; trying later may help."""


class RateLimited(ModelError):
    """The provider asks for a pause.

    Attributes:
        retry_after_s: Seconds to wait as the provider said; None if it did not.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class AuthFailed(ModelError):
    """The key is missing or was refused."""


class BadRequest(ModelError):
    """The provider refused the request as malformed."""


class ContextOverflow(ModelError):
    """The conversation is longer than the model's context."""


class ReplyTruncated(ModelError):
    """The reply ended without a finish reason."""


class ReplayMismatch(ModelError):
    """The record holds no answer to this request."""


class Model(Protocol):
    """A language model, or something that answers like one.

    Contract: `complete` takes one request and returns one finished reply or raises a `ModelError`;
    usage is always filled. It keeps no conversation state: equal requests to a deterministic model
    give equal replies. It retries nothing (`retry.Retrying` does, around it) and may be called
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
