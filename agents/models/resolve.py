"""From a model's name to a model."""

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from agents.models.base import Model, UnknownModel
from agents.models.names import OFFLINE, parse_options, split_name
from agents.models.offline import OfflineModel
from agents.models.retry import Retrying

_KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "none"


def resolve(name: str, environ: Mapping[str, str] | None = None) -> Model:
    """Find the model that goes by a name; nothing is connected yet.

    Args:
        name: `offline/POLICY[?key=value&...]`, or `NAME@http://HOST:PORT/v1`.
        environ: Where keys are looked up; the process's environment if None.

    Raises:
        UnknownModel: No model goes by that name; says which names there are.
    """
    model, url = split_name(name)
    if url and model:
        return _endpoint(name, model, url, os.environ if environ is None else environ)
    if name.startswith(OFFLINE):
        return _offline(name)
    raise UnknownModel(f"no model is called {name!r}; {_what_exists()}")


def _offline(name: str) -> Model:
    from agents.offline import registry

    policy, _, options = name.removeprefix(OFFLINE).partition("?")
    return OfflineModel(name, registry.get(policy, parse_options(options, name)))


def _endpoint(name: str, model: str, url: str, environ: Mapping[str, str]) -> Model:
    from agents.models.openai_chat import OpenAIChat

    key = environ.get(_KEY_VARIABLE, _NO_KEY) if _is_private(url) else _NO_KEY
    return Retrying(OpenAIChat(name, model, url, key))


def _is_private(url: str) -> bool:
    """Whether what is sent there can be read on the way by nobody else."""
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")


def _what_exists() -> str:
    from agents.offline import registry

    policies = ", ".join(f"{OFFLINE}{policy}" for policy in registry.names())
    return (
        f"write {policies} (no key needed), or NAME@http://HOST:PORT/v1 "
        f"for an OpenAI-compatible endpoint (its key comes from {_KEY_VARIABLE}, "
        "and goes to https and local addresses only)"
    )
