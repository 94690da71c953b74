"""Model names as people write them, taken apart.

`claude-sonnet-4-6`, `openrouter/qwen/qwen3.6-plus`, `NAME@http://HOST:PORT/v1`,
`anthropic:NAME@URL`, `openai-responses:NAME@URL`, `offline/POLICY`; each with options,
`NAME?key=value&key=value`.
`replay:RUN#AGENT` is a recorded agent.
"""

import math
import re
from typing import Any, Final, Literal, NamedTuple

import msgspec

from hyperspace.models.base import UnknownModel

OFFLINE = "offline/"
REPLAY = "replay:"
_AGENT: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_PROTOCOL: Final = re.compile(r"(openai-responses|openai|anthropic|fireworks):")
REPLY_TOKENS: Final = 16_384
_ROOM_BESIDE_THINKING: Final = 8_192
WHOLE_S: Final = 600.0
SILENCE_S: Final = 120.0


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
    """Take a protocol, such as `anthropic:`, off a model; empty if it has none."""
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


def is_agent_name(name: str) -> bool:
    """Return whether a text is a name that an agent can have, and so a folder and a scope."""
    return bool(_AGENT.fullmatch(name)) and not name.endswith(".")


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


class SilenceLimits(NamedTuple):
    """How long a reply that comes piece by piece may bring nothing.

    Attributes:
        first_s: Seconds until the first piece: prompts are read, and thoughts thought, in silence;
            also between two pieces where those before say that thoughts are thought.
        later_s: Seconds between two other pieces.
    """

    first_s: float
    later_s: float


class ModelOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a model that is asked over a network; None leaves it to agent and provider.

    They stand in its name, as in `claude-sonnet-4-6?max_tokens=4000&reasoning_effort=high`, hold
    for every call, and go before what an agent asks for.

    Attributes:
        temperature: Sampling temperature, 0 to 2.
        top_p: Share of the probability mass to sample from, 0 to 1.
        max_tokens: Upper bound on completion tokens; an agent may only ask for less.
        reasoning_effort: How much to think, in the provider's words (`low`, `high`, ...).
        thinking: Anthropic models only: `adaptive`, `off`, or a budget in tokens.
        tools: How tools are called: by the provider's own means, in the text, or (`auto`) in the
            text once the provider has said that the model cannot do otherwise.
        stream: Whether replies come piece by piece; `auto`: where the endpoint knows how.
        silence_s: Longest time without a piece of a reply; None is 120, and 600 before the first.
        timeout_s: Longest time that one try of a call may take, however much has come; None is
            no bound for a reply that comes piece by piece, and 600 for one that comes whole.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    thinking: str | None = None
    tools: Literal["auto", "native", "text"] = "auto"
    stream: Literal["auto", "on", "off"] = "auto"
    silence_s: float | None = None
    timeout_s: float | None = None

    @property
    def silence_limits(self) -> SilenceLimits:
        """How long a reply that comes piece by piece may bring nothing."""
        if self.silence_s is None:
            return SilenceLimits(WHOLE_S, SILENCE_S)
        return SilenceLimits(self.silence_s, self.silence_s)

    @property
    def whole_s(self) -> float:
        """Longest time for a reply that comes whole, in seconds."""
        return self.timeout_s or WHOLE_S

    @property
    def reply_tokens(self) -> int:
        """Upper bound on completion tokens where a request names none; thinking is extra."""
        thinking = self.thinking or ""
        budget = int(thinking) if thinking.isdecimal() else 0
        return self.max_tokens or max(REPLY_TOKENS, budget + _ROOM_BESIDE_THINKING)


def options_of(name: str) -> ModelOptions:
    """The options in a model's name.

    Raises:
        UnknownModel: There is no such option, or its value makes no sense.
    """
    given = parse_options(split_name(name).model.partition("?")[2], name)
    try:
        options = msgspec.convert(given, ModelOptions, strict=False)
    except msgspec.ValidationError as error:
        fields = ", ".join(ModelOptions.__struct_fields__)
        raise UnknownModel(f"model {name!r}: {error}; options are {fields}") from None
    budget = options.thinking
    rules = {
        "temperature is a number from 0 to 2": _within(options.temperature, 0, 2),
        "top_p is a number from 0 to 1": _within(options.top_p, 0, 1),
        "max_tokens is at least 1": _within(options.max_tokens, 1, math.inf),
        "silence_s is more than 0": _is_time(options.silence_s),
        "timeout_s is more than 0": _is_time(options.timeout_s),
        "thinking is adaptive, off, or a budget of at least 1024 tokens": (
            budget in (None, "adaptive", "off") or (budget.isdecimal() and int(budget) >= 1024)
        ),
    }
    for rule, is_kept in rules.items():
        if not is_kept:
            raise UnknownModel(f"model {name!r}: {rule}")
    return options


def _within(value: float | None, least: float, most: float) -> bool:
    return value is None or least <= value <= most


def _is_time(seconds: float | None) -> bool:
    return seconds is None or 0 < seconds < math.inf


def lesser(option: int | None, requested: int | None) -> int | None:
    """The smaller of two bounds, where None is no bound."""
    bounds: list[Any] = [bound for bound in (option, requested) if bound is not None]
    return min(bounds, default=None)
