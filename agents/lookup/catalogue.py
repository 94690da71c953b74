"""The providers that are configured here, and whether they answer."""

import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

import msgspec

from agents.lookup.resolve import resolve
from agents.messages import ChatRequest, Message
from agents.models.base import Model, ModelError
from agents.models.policy.retrying import Patience
from agents.models.providers import PROVIDERS, Protocol
from agents.models.settings import settings

_PACKAGES: Final[Mapping[Protocol, str]] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "fireworks": "fireworks-ai",
}
_AT_ONCE: Final = Patience(outage_s=0.0, call_s=60.0)
_QUESTION: Final = "Reply with the single word: ok"


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
    start = time.monotonic()
    request = ChatRequest(name, (Message("user", _QUESTION),), max_tokens=64)
    try:
        model = resolve(name, patience=_AT_ONCE)
        try:
            reply = await model.complete(request)
        finally:
            await model.aclose()
    except ModelError as error:
        return _ping(name, start, ok=False, said=str(error))
    said = f"{reply.text.strip()[:40]!r} from {reply.model or 'an unnamed model'}"
    return _ping(name, start, ok=True, said=said)


async def ping_provider(provider: str) -> Ping:
    """Ask a provider for its list of models, which costs nothing."""
    start = time.monotonic()
    try:
        model = _any_model(provider)
        try:
            await model.check()
        finally:
            await model.aclose()
    except ModelError as error:
        return _ping(provider, start, ok=False, said=str(error))
    return _ping(provider, start, ok=True, said="it answers")


def _any_model(provider: str) -> Model:
    """A model of a provider; which one does not matter for its list."""
    examples = {
        "anthropic": "claude-any",
        "openai": "gpt-any",
        "fireworks": "accounts/fireworks/any",
    }
    return resolve(examples.get(provider, f"{provider}/any"), patience=_AT_ONCE)


def _ping(name: str, start: float, *, ok: bool, said: str) -> Ping:
    return Ping(name, ok, said, round(time.monotonic() - start, 3))
