"""Model names as people write them, taken apart.

`claude-sonnet-4-6`, `openrouter/qwen/qwen3.6-plus`, `NAME@http://HOST:PORT/v1`,
`anthropic:NAME@URL`, `offline/POLICY`; each with options, `NAME?key=value&key=value`.
`replay:RUN#AGENT` is a recorded agent.
"""

import re
from typing import Final, NamedTuple

from agents.models.base import UnknownModel

OFFLINE = "offline/"
REPLAY = "replay:"
_PROTOCOL: Final = re.compile(r"(openai|anthropic|fireworks):")


class ModelName(NamedTuple):
    """A model name, taken apart.

    Attributes:
        model: What the model is asked for by, without an endpoint; options included.
        url: The endpoint; empty if none is named.
    """

    model: str
    url: str


def split_name(name: str) -> ModelName:
    """Take a name apart at the endpoint, if there is one; options may also follow the endpoint."""
    model, at, rest = name.rpartition("@")
    if not (at and re.match(r"https?://", rest)):
        return ModelName(name, "")
    url, _, late = rest.partition("?")
    mark = "&" if "?" in model else "?"
    return ModelName(f"{model}{mark}{late}" if late else model, url.rstrip("/"))


def asked_name(name: str) -> str:
    """A model's name without its endpoint, which code in a sandbox need not know."""
    return split_name(name).model


def split_protocol(model: str) -> tuple[str, str]:
    """Take `anthropic:`, `fireworks:` or `openai:` off a model; empty if it has none."""
    match = _PROTOCOL.match(model)
    return (match[1], model[match.end() :]) if match else ("", model)


def slug(name: str) -> str:
    """Name an agent after its model: the last path component, fit for paths and scopes.

    A recorded agent keeps its name.

    Underscores become hyphens, because `_vs_`, `_b` and `_gen3` have a meaning in paths.
    """
    if name.startswith(REPLAY):
        name = name.rpartition("#")[2]
    model = split_protocol(split_name(name).model.partition("?")[0])[1]
    last = model.rstrip("/").rpartition("/")[2].lower()
    return re.sub(r"[^a-z0-9.]+", "-", last)[:64].strip("-.") or "agent"


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
