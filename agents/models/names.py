"""Model names as people write them: `NAME@http://HOST:PORT/v1`, `offline/POLICY?key=value`."""

import re
from typing import NamedTuple

from agents.models.base import UnknownModel

OFFLINE = "offline/"


class ModelName(NamedTuple):
    """A model name, taken apart.

    Attributes:
        model: What the model is asked for by, without an endpoint; options included.
        url: The endpoint; empty if none is named.
    """

    model: str
    url: str


def split_name(name: str) -> ModelName:
    """Take a name apart at the endpoint, if there is one."""
    model, at, url = name.rpartition("@")
    if at and re.match(r"https?://", url):
        return ModelName(model, url.rstrip("/"))
    return ModelName(name, "")


def asked_name(name: str) -> str:
    """What a model is asked for by; its endpoint is no business of code in a sandbox."""
    return split_name(name).model


def slug(name: str) -> str:
    """Name an agent after its model: the last path component, fit for paths and scopes.

    Underscores become hyphens, because `_vs_`, `_b` and `_gen3` have a meaning in paths.
    """
    model = split_name(name).model.partition("?")[0]
    last = model.rstrip("/").rpartition("/")[2].lower()
    return re.sub(r"[^a-z0-9.]+", "-", last).strip("-.")[:64] or "agent"


def parse_options(text: str, name: str) -> dict[str, str]:
    """Read `key=value&key=value`; an empty text has no options.

    Raises:
        UnknownModel: A part is no `key=value`, or a key comes twice.
    """
    options: dict[str, str] = {}
    for part in filter(None, text.split("&")):
        key, equals, value = part.partition("=")
        if not (key and equals) or key in options:
            raise UnknownModel(
                f"option {part!r} of model {name!r} is malformed or repeated; "
                "write options like offline/tinker?trials=20&other=1"
            )
        options[key] = value
    return options
