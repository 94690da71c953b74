"""From a model's name to a model."""

import math
import re
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

import msgspec

from hyperspace.lookup.offline import OfflineModel
from hyperspace.lookup.replayed import find_recorded
from hyperspace.lookup.unconnected import UnconnectedModel
from hyperspace.models.base import Model, UnknownModel
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import ModelTarget
from hyperspace.models.names import OFFLINE, REPLAY, options_of, split_name, split_protocol
from hyperspace.models.policy.control import Controlled
from hyperspace.models.policy.retrying import PATIENCE, Patience, Retrying
from hyperspace.models.policy.traffic import traffic_to
from hyperspace.models.providers import (
    BY_PROTOCOL,
    FIREWORKS,
    NO_KEY,
    PROVIDERS,
    Provider,
    find_provider,
    key_for,
    settings,
)
from hyperspace.models.text_tools import TextTools
from hyperspace.spending.metered import Metered


def resolve(
    name: str,
    environ: Mapping[str, str] | None = None,
    patience: Patience = PATIENCE,
    keys_to: Collection[str] | None = None,
    *,
    connect: bool = True,
) -> Model:
    """Find the model that goes by a name; nothing is connected yet.

    Args:
        name: `offline/POLICY[?key=value&...]`, a provider's name for a model, `NAME@URL`, or
            `replay:RUN#AGENT`; see docs/reference/models.md.
        environ: Where keys and addresses are looked up; the process's environment and `.env` if
            None.
        patience: How long to go on asking when it fails.
        keys_to: The addresses in names that a key is sent to; None for all of them.
        connect: Whether it is to be asked; else it needs no key and no SDK.

    Raises:
        UnknownModel: No model goes by that name; says which names there are.
        AuthFailed: Its provider needs a key and there is none.
    """
    if name.startswith(OFFLINE):
        from hyperspace.offline import registry

        return Metered(OfflineModel(name, registry.named(name)))
    if name.startswith(REPLAY):
        return find_recorded(name)
    provider, model, url = _find(name)
    if not connect:
        _ = _address(provider, url or provider.url), options_of(name)
        return UnconnectedModel(name)
    environment = settings() if environ is None else environ
    address = _address(provider, url or provider.base_url(environment))
    if url and keys_to is not None and not is_named(url, keys_to):
        key = NO_KEY
    else:
        key = key_for(provider, address, environment, needed=provider.key_needed and not url)
    target = ModelTarget(model, address, key, provider.key_variables[0])
    return _on_network(provider, Endpoint(name, target, options_of(name)), patience)


def is_named(url: str, addresses: Collection[str]) -> bool:
    """Return whether an address is one of those that somebody named."""
    return url.rstrip("/") in {address.rstrip("/") for address in addresses}


def _find(name: str) -> tuple[Provider, str, str]:
    """Provider, the model that it is asked for, and the address if the name says one."""
    if "://" in name and "@" in name.partition("://")[2]:
        raise UnknownModel(
            "an address in a model's name holds no user and no password (names are written down "
            "in many places); set the key in the environment or in .env"
        )
    scheme = re.search(r"@([a-z][a-z0-9+.-]*):/", name.partition("?")[0].lower())
    if scheme and scheme[1] not in ("http", "https"):
        raise UnknownModel(
            f"the address in {name!r} begins with {scheme[1]}:, and models are asked by http: or "
            "https: alone; write NAME@http://HOST:PORT/v1"
        )
    named, url = split_name(name)
    protocol, model = split_protocol(named.partition("?")[0])
    if model and (url or protocol):
        return BY_PROTOCOL[protocol or "openai"], model, url
    match = None if "://" in name else find_provider(model)
    if match is None:
        raise UnknownModel(f"no model is called {name!r}; {_what_exists(name)}")
    return (*match, "")


def _address(provider: Provider, url: str) -> str:
    """An address without the path that the provider's SDK adds itself."""
    if not _is_address(url):
        raise UnknownModel(f"{url!r} is no address of {provider.id}; write http(s)://HOST[:PORT]")
    match provider.protocol:
        case "anthropic":
            return url.removesuffix("/v1")
        case "fireworks":
            # Told of an address, the SDK leaves out the /inference that it adds to its own.
            own = FIREWORKS.url.removesuffix("/inference")
            return FIREWORKS.url if url == own else url.removesuffix("/v1")
        case _:
            return url


def _is_address(url: str) -> bool:
    if not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _on_network(provider: Provider, endpoint: Endpoint, patience: Patience) -> Model:
    # Both wires of OpenAI lead to one account, with one limit of requests.
    account = "openai" if provider.protocol == "openai-responses" else provider.protocol
    traffic = traffic_to(account, endpoint.target.url)
    target, options = endpoint.target, endpoint.options
    adapter = _adapter(provider, endpoint)
    metered = Metered(adapter, target.url, target.model, options.reply_tokens)
    call_s = min(patience.call_s, options.timeout_s or math.inf)
    model = Retrying(metered, traffic, msgspec.structs.replace(patience, call_s=call_s))
    return TextTools(Controlled(model), options.tools)


def _adapter(provider: Provider, endpoint: Endpoint) -> Model:
    # Each brings an SDK that is slow to load: only the one that is asked for is.
    match provider.protocol:
        case "anthropic":
            from hyperspace.models.anthropic.messages import AnthropicMessages

            return AnthropicMessages(endpoint)
        case "fireworks":
            from hyperspace.models.chat.fireworks import fireworks_chat

            return fireworks_chat(endpoint, _dialect(provider, endpoint))
        case "openai-responses":
            from hyperspace.models.responses.model import OpenAIResponses

            return OpenAIResponses(endpoint)
        case _:
            from hyperspace.models.chat.openai import openai_chat

            return openai_chat(endpoint, _dialect(provider, endpoint))


def _dialect(provider: Provider, endpoint: Endpoint) -> ChatDialect:
    # OpenAI's own models know the newer name only, others mostly the older one.
    is_openai = provider.id == "openai" and not split_name(endpoint.name).url
    return ChatDialect(
        limit_field="max_completion_tokens" if is_openai else "max_tokens",
        returns_reasoning=provider.returns_reasoning,
    )


def _what_exists(name: str) -> str:
    from hyperspace.offline import registry

    policies = ", ".join(f"{OFFLINE}{policy}" for policy in registry.nearest(name))
    hosted = ", ".join(provider.shown for provider in PROVIDERS)
    return (
        f"nearest: {policies}; there are also {hosted}, NAME@http://HOST:PORT/v1 and "
        f"{REPLAY}RUN#AGENT (hyperspace models lists all, and which keys are set)"
    )
