"""Endpoints, and how adapters connect to them."""

from typing import Any, Final

import msgspec

from agents.models.errors import ModelTarget
from agents.models.options import ModelOptions
from agents.models.providers import is_local

CHECK_TIMEOUT_S: Final = 10.0
CONNECT_TIMEOUT_S: Final = 10.0


class Endpoint(msgspec.Struct, frozen=True):
    """A model at an address.

    Attributes:
        name: The model as the person wrote it.
        asked: What the endpoint knows it by, and where it is.
        options: What the person wants of every call.
    """

    name: str
    target: ModelTarget
    options: ModelOptions = ModelOptions()


def client_options(endpoint: Endpoint) -> dict[str, Any]:
    """How an HTTP client connects: never by proxy to this machine, and without redirects.

    A redirect would take the key to an address that nobody has named.
    """
    local = is_local(endpoint.target.url)
    return {"trust_env": not local, "follow_redirects": False}
