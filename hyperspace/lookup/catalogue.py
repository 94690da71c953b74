"""The providers that are configured here, and whether they answer."""

import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from importlib.metadata import version
from typing import Final

import msgspec

from hyperspace.lookup.resolve import resolve
from hyperspace.messages import ChatRequest, Message
from hyperspace.models.base import Model, ModelError
from hyperspace.models.policy.retrying import Patience
from hyperspace.models.providers import PROVIDERS, Protocol, settings

_PACKAGES: Final[Mapping[Protocol, str]] = {
    "openai": "openai",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "fireworks": "fireworks-ai",
}
_AT_ONCE: Final = Patience(outage_s=0.0, call_s=60.0)
_QUESTION: Final = "Reply with the single word: ok"
# A model of a provider whose models have other names; which one does not matter for its list.
_EXAMPLES: Final[Mapping[str, str]] = {
    "anthropic": "claude-any",
    "openai": "gpt-any",
    "openai-responses": "gpt-any-pro",
    "fireworks": "accounts/fireworks/any",
}


class Configured(msgspec.Struct, frozen=True):
    """A provider as it is set up here.

    Attributes:
        provider: Its name.
        models: How its models are named.
        base_url: The address in use.
        key: Variable with the key; the first choice if none is set.
        key_set: Whether it is; the key itself is nobody's business.
        key_needed: Whether nothing works without it.
        sdk: The SDK that asks it, with its version.
    """

    provider: str
    models: str
    base_url: str
    key: str
    key_set: bool
    key_needed: bool
    sdk: str


class Ping(msgspec.Struct, frozen=True):
    """The outcome of one ping.

    Attributes:
        name: The model or the provider.
        ok: Whether it answered.
        said: What it answered, or why it did not.
        seconds: How long that took.
    """

    name: str
    ok: bool
    said: str
    seconds: float


def configured() -> list[Configured]:
    """Every provider that we know, as it is set up in the environment and `.env`."""
    environment = settings()
    rows: list[Configured] = []
    for provider in PROVIDERS:
        key = provider.key_variable(environment)
        package = _PACKAGES[provider.protocol]
        row = Configured(
            provider.id,
            provider.shown,
            provider.base_url(environment),
            key or provider.key_variables[0],
            key is not None,
            provider.key_needed,
            f"{package} {version(package)}",
        )
        rows.append(row)
    return rows


async def ping_model(name: str) -> Ping:
    """Ask a model one short question, once; a paid model costs a few tokens."""
    request = ChatRequest(name, (Message("user", _QUESTION),), max_tokens=64)

    async def ask(model: Model) -> str:
        reply = await model.complete(request)
        return f"{reply.text.strip()[:40]!r} from {reply.model or 'an unnamed model'}"

    return await _ping(name, name, ask)


async def ping_provider(provider: str) -> Ping:
    """Ask a provider for its list of models, which costs nothing."""

    async def ask(model: Model) -> str:
        await model.check()
        return "it answers"

    return await _ping(provider, _EXAMPLES.get(provider, f"{provider}/any"), ask)


async def _ping(name: str, model_name: str, ask: Callable[[Model], Awaitable[str]]) -> Ping:
    start: float | None = None
    try:
        async with aclosing(resolve(model_name, patience=_AT_ONCE)) as model:
            start = time.monotonic()  # to load an SDK is not the server's time
            said, ok = await ask(model), True
    except ModelError as error:
        said, ok = str(error), False
    seconds = 0.0 if start is None else time.monotonic() - start
    return Ping(name, ok, said, round(seconds, 3))
