"""The fields that we add to a request, and what is done where a server does not take one.

Whatever is added can be taken back. A refusal that names a field in any words makes an
`Adaptation`: it holds for the model from then on, is told once, and goes on the run's record.
"""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec.structs import replace

from hyperspace.models.error_body import ErrorBody
from hyperspace.models.error_patterns import NOT_TAKEN
from hyperspace.models.token_room import Room

Remedy = Literal["drop", "rename", "shrink", "text"]


class RequestField(msgspec.Struct, frozen=True):
    """A field that a reply can do without, in this form at least.

    Attributes:
        name: On the wire.
        words: Pattern of what servers call it, beside its name.
        remedy: What is done about it.
        renamed: The other name, of one that is renamed.
        option: The option of a model's name that asks for it; empty where none does.
        is_word: Whether its name is a word of every day, which alone tells nothing.
    """

    name: str
    words: str = ""
    remedy: Remedy = "drop"
    renamed: str = ""
    option: str = ""
    is_word: bool = False


# In the order in which one is chosen where a refusal names several.
FIELDS: Final = (
    RequestField("max_tokens", "", "rename", "max_completion_tokens", option="max_tokens"),
    RequestField("max_completion_tokens", "", "rename", "max_tokens", option="max_tokens"),
    RequestField("max_output_tokens", option="max_tokens"),
    RequestField("stream_options", "include_usage|streamoptions"),
    RequestField("parallel_tool_calls", "parallel (tool|function) calls?"),
    RequestField("tool_choice", "tool choice"),
    RequestField("cache_control", "prompt caching|cache control"),
    RequestField("seed", "random[ _]seed", is_word=True),
    RequestField("temperature", "sampling temperature", option="temperature"),
    RequestField("top_p", r"top[- ]?p\b|nucleus sampling", option="top_p"),
    RequestField("reasoning_effort", "reasoning effort", option="reasoning_effort"),
    RequestField("include", r"encrypted[_ ](content|reasoning)", is_word=True),
    RequestField("reasoning", "", option="reasoning_effort", is_word=True),
    RequestField("output_config", "effort parameter", option="reasoning_effort"),
    RequestField("thinking", "extended thinking", option="thinking", is_word=True),
    RequestField("store", is_word=True),
    RequestField("stream", "streaming", option="stream", is_word=True),
    RequestField("tools", "", "text", option="tools", is_word=True),
)
BY_NAME: Final = {field.name: field for field in FIELDS}
_EVERYDAY: Final = ("include", "store")
LIMIT_FIELDS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")
BY_VALUE: Final = ("temperature", "stream")
"""Fields of which another value may be taken."""
_Tokens = Annotated[int, msgspec.Meta(ge=0)]
_MOST_VALUES: Final = 16  # code in a sandbox chooses temperatures


class Adaptation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is done from some refusal on, for one model.

    Attributes:
        model: The model, as the person wrote it.
        field: The field's name on the wire.
        remedy: What is done about it.
        value: The value that is not taken, as text, where others may be; else empty.
        most: The bound on the tokens of a reply, of a field that shrinks; 0 for none.
        window: The bound on prompt and reply together; 0 for none.
        said: What the server said.

    Raises:
        ValueError: The field is none that a request can do without.
    """

    model: str
    field: str
    remedy: Remedy
    value: str = ""
    most: _Tokens = 0
    window: _Tokens = 0
    said: str = ""

    def __post_init__(self) -> None:
        if self.field not in BY_NAME:
            raise ValueError(f"{self.field} is no field that a request can do without")

    @property
    def key(self) -> tuple[str, str, str, str, int, int]:
        """All but what the server said."""
        return self.model, self.field, self.remedy, self.value, self.most, self.window

    def text(self) -> str:
        """The adaptation in one line, for people."""
        match self.remedy:
            case "rename":
                done = f"{self.field} is called {BY_NAME[self.field].renamed}"
            case "shrink" if self.window:
                done = f"{self.field} is what the prompt leaves of {self.window} tokens"
            case "shrink":
                done = f"{self.field} is at most {self.most}"
            case "text":
                done = "tools are called in the text"
            case "drop" if self.field == "stream":
                done = f"stream is {'off' if self.value == 'True' else 'on'}"
            case _:
                value = f" {self.value}" if self.value else ""
                done = f"{self.field}{value} is left out"
        return f"{self.model}: {done} from now on; the server said: {self.said}"


_noticed: ContextVar[Callable[[Adaptation], None] | None] = ContextVar("noticed", default=None)


@contextmanager
def adaptations_to(notice: Callable[[Adaptation], None]) -> Generator[None]:
    """Have each new adaptation of a model that is asked in this context told to somebody."""
    token = _noticed.set(notice)
    try:
        yield
    finally:
        _noticed.reset(token)


def notice(adaptation: Adaptation) -> None:
    """Tell of a new adaptation."""
    if (told := _noticed.get()) is not None:
        told(adaptation)


def refused_field(body: ErrorBody, sent: Mapping[str, Any], *, is_refusal: bool) -> str | None:
    """The field of a request that a server does not take; None if it complains of something else.

    Args:
        body: What it said.
        sent: The request's fields.
        is_refusal: Whether its status alone says that it refuses the request.
    """
    names = [field for field in FIELDS if field.name in sent]
    for pointer in body.places:
        last = re.split(r"[./\[\]]+", pointer.strip("]'\" $#/"))
        for field in names:
            if field.name in last and (len(last) <= 2 or field.name == last[-1]):
                return field.name
    is_not_taken = NOT_TAKEN.search(body.words) is not None
    for field in names:
        if re.search(rf"(?<![\w.]){field.name}(?!\w)", body.words):
            marked = re.search(rf"['\"`]{field.name}['\"`]", body.words)
            if is_not_taken or (is_refusal and (marked or not field.is_word)):
                return field.name
        if is_not_taken and field.words and re.search(field.words, body.words):
            return field.name
    return None


def named_field(body: ErrorBody, sent: Mapping[str, Any]) -> str | None:
    """The field that a refusal without any cause that we know has a word of; None if it has none.

    Args:
        body: What the server said.
        sent: The request's fields.
    """
    names = [field.name for field in FIELDS if field.name in sent and field.name not in _EVERYDAY]
    named = (name for name in names if re.search(rf"(?<![\w.]){name}(?!\w)", body.words))
    return next(named, None)


class Adaptations:
    """The adaptations of one model, and requests as it takes them."""

    def __init__(self) -> None:
        self._refused: set[tuple[str, str]] = set()
        self._most = 0
        self._window = 0
        self._measured = 3, 1  # a prompt's bytes and its tokens

    def take(self, adaptation: Adaptation) -> None:
        """Let an adaptation hold from now on."""
        if adaptation.remedy == "shrink":
            self._most = adaptation.most or self._most
            self._window = adaptation.window or self._window
        else:
            self._refused.add((adaptation.field, adaptation.value))

    def _holds(self, adaptation: Adaptation) -> bool:
        if adaptation.remedy == "shrink":
            most, window = self._most, self._window
            return (adaptation.most or most, adaptation.window or window) == (most, window)
        return (adaptation.field, adaptation.value) in self._refused

    def applied(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a request as the model takes them."""
        taken = dict(fields)
        for name in LIMIT_FIELDS:
            if name in fields:
                taken |= self._limited(name, taken.pop(name), fields)
        for name, value in fields.items():
            if name == "stream" and value is False:
                taken[name] = self.is_refused(name, "False")
            elif name not in LIMIT_FIELDS and self.is_refused(name, str(value)):
                del taken[name]
        if not taken.get("stream"):
            taken.pop("stream_options", None)
        return taken

    def proposal(
        self, model: str, field: str, room: Room | None, sent: Mapping[str, Any], said: str
    ) -> Adaptation | None:
        """Make an adaptation of a refusal; None where there is nothing left to change.

        Args:
            model: The model, as the person wrote it.
            field: The field that is not taken.
            room: The room for a reply, where the refusal says it.
            sent: The fields of the refused request.
            said: What the server said.
        """
        rule = BY_NAME[field]
        new = Adaptation(model=model, field=field, remedy=rule.remedy, said=said)
        if room is not None:
            if room.window and room.prompt:
                self._measured = _prompt_bytes(sent), room.prompt
            of_reply = 0 if room.window else room.tokens
            new = replace(new, remedy="shrink", most=of_reply, window=room.window or 0)
        elif rule.remedy == "rename" and self.is_refused(rule.renamed):
            new = replace(new, remedy="drop")
        elif field in BY_VALUE:
            new = replace(new, value=str(sent[field]))
            if sum(name == field for name, _ in self._refused) >= _MOST_VALUES:
                return None
        return None if self._holds(new) else new

    def is_refused(self, field: str, value: str = "") -> bool:
        """Return whether a field is not taken, or not with this value."""
        return (field, "") in self._refused or (field, value) in self._refused

    def _limited(self, name: str, most: int, fields: Mapping[str, Any]) -> dict[str, int]:
        """The bound on a reply's tokens, by the name and with the size that the model takes."""
        if self.is_refused(name):
            name = BY_NAME[name].renamed
            if not name or self.is_refused(name):
                return {}
        if self._most:
            most = min(most, self._most)
        if self._window:
            left = self._window - self._prompt_tokens(_prompt_bytes(fields))
            most = left if 1 <= left < most else most
        return {name: most}

    def _prompt_tokens(self, size: int) -> int:
        """Tokens of a prompt by its bytes; of one that was not counted, rather too many."""
        measured, tokens = self._measured
        return tokens if size == measured else int(size * tokens / measured * 1.05) + 16


def left_out(fields: Mapping[str, Any], sent: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields of a request that were not sent, under no name."""
    is_limited = any(name in sent for name in LIMIT_FIELDS)
    return tuple(
        name
        for name in fields
        if name not in sent and not (is_limited and name in LIMIT_FIELDS) and "stream" not in name
    )


def prompt_estimate(fields: Mapping[str, Any]) -> int:
    """Tokens of a request's prompt, roughly."""
    return _prompt_bytes(fields) // 3


def _prompt_bytes(fields: Mapping[str, Any]) -> int:
    parts = [fields.get(name) for name in ("system", "messages", "input", "instructions", "tools")]
    return len(msgspec.json.encode(parts))
