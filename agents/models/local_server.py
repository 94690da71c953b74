"""What a server on this machine or in a private network says of the model that it runs.

llama.cpp tells of its window and its template at `/props`, and of its weights in its list of
models; vLLM tells of its window there. Whoever says nothing, or not within a second, is asked as
if nothing were known.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast
from urllib.parse import urlsplit

from agents.models.providers import is_local

ANSWER_S: Final = 1.0  # for what is asked beside its list of models
_SMALLEST_WINDOW: Final = 16


class ServerFacts(NamedTuple):
    """What is known of a served model.

    Attributes:
        window: Tokens of prompt and reply together; 0 where nobody said.
        has_tools: Whether its template knows tools; None where nobody said.
        weights: Name, size and kind of its weights in one line; empty where nobody said.
    """

    window: int = 0
    has_tools: bool | None = None
    weights: str = ""


def is_asked_for_facts(url: str) -> bool:
    """True for addresses of this machine and of private networks."""
    if is_local(url):
        return True
    try:
        return ipaddress.ip_address(urlsplit(url).hostname or "").is_private
    except ValueError:
        return False


def root_of(url: str) -> str:
    """Where a server's own pages begin: its address without a path."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def facts_of(model: str, props: object, listing: object) -> ServerFacts:
    """Read what a server says; what has another shape says nothing.

    Args:
        model: What the server knows the model by.
        props: The answer at `/props`.
        listing: Its list of models.
    """
    settings, caps = (
        _object(props, "default_generation_settings"),
        _object(props, "chat_template_caps"),
    )
    entry = _entry(model, listing)
    meta = _object(entry, "meta")
    windows = (
        settings.get("n_ctx"),
        meta.get("n_ctx"),
        entry.get("max_model_len"),
    )
    window = next((number for number in windows if _is_window(number)), 0)
    tools = caps.get("supports_tools")
    return ServerFacts(
        window=cast("int", window),
        has_tools=tools if isinstance(tools, bool) else None,
        weights=", ".join(_weights(entry, meta)),
    )


def _entry(model: str, listing: object) -> Mapping[str, Any]:
    """The model's entry of a list, or the only one that there is."""
    data = cast("dict[str, Any]", listing).get("data") if isinstance(listing, dict) else None
    entries = [
        cast("dict[str, Any]", entry)
        for entry in cast("list[object]", data if isinstance(data, list) else [])
        if isinstance(entry, dict)
    ]
    named = [entry for entry in entries if entry.get("id") == model]
    alone = entries if len(entries) == 1 else []
    return (named or alone or [dict[str, Any]()])[0]


def _object(value: object, name: str) -> Mapping[str, Any]:
    inner = cast("dict[str, Any]", value).get(name) if isinstance(value, Mapping) else None
    return cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}


def _is_window(number: object) -> bool:
    is_whole = isinstance(number, int) and not isinstance(number, bool)
    return is_whole and _SMALLEST_WINDOW <= cast("int", number) < 10**8


def _weights(entry: Mapping[str, Any], meta: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(name := entry.get("id"), str) and meta:
        yield name.rpartition("/")[2][:100]
    for field, unit in (("n_params", "parameters"), ("size", "bytes")):
        if isinstance(number := meta.get(field), int) and number > 0:
            yield f"{number:,} {unit}"
    if isinstance(kind := meta.get("ftype"), str):
        yield kind[:100]
