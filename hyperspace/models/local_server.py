"""What a server on this machine or in a private network says of the model that it runs.

llama.cpp tells of its window and its template at `/props`, and of its weights in its list of
models; vLLM tells of its window there. Ollama and LM Studio have pages of their own. Whoever says
nothing, or not within a second, is asked as if nothing were known.
"""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard, cast
from urllib.parse import urlsplit

import msgspec

from guards.scope.changes import printable
from hyperspace.models.providers import is_local

ANSWER_S: Final = 1.0  # for what is asked beside its list of models
_SMALLEST_WINDOW: Final = 16
_LONGEST_PART: Final = 100  # of what a server says of its weights


class ServerFacts(msgspec.Struct, frozen=True, omit_defaults=True):
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


def pages_of(model: str) -> dict[str, object]:
    """Return the pages of a server's own that are asked for, best known first.

    Each has what is posted there, or None where it is just read.
    """
    return {"/props": None, "/api/v1/models": None, "/api/ps": None, "/api/show": {"model": model}}


def facts_of(model: str, listing: object, pages: Mapping[str, object]) -> ServerFacts:
    """Read what a server says; what has another shape says nothing.

    Args:
        model: What the server knows the model by.
        listing: Its list of models.
        pages: What is known of its own pages so far, by path.
    """
    said = (
        _of_llama_cpp(model, pages.get("/props"), listing),
        _of_lm_studio(model, pages.get("/api/v1/models")),
        _of_ollama(model, pages.get("/api/show"), pages.get("/api/ps")),
    )
    return next((facts for facts in said if facts != ServerFacts()), ServerFacts())


def _of_llama_cpp(model: str, props: object, listing: object) -> ServerFacts:
    """Read what llama.cpp and vLLM say.

    Args:
        model: What the server knows the model by.
        props: The answer at `/props`.
        listing: Its list of models.
    """
    settings, caps = (
        _object(props, "default_generation_settings"),
        _object(props, "chat_template_caps"),
    )
    entry = _entry(model, "id", _objects(listing, "data"))
    meta = _object(entry, "meta")
    windows = (settings.get("n_ctx"), meta.get("n_ctx"), entry.get("max_model_len"))
    tools = caps.get("supports_tools")
    name = str(entry.get("id", "")).rpartition("/")[2] if meta else ""
    return ServerFacts(
        window=_window(*windows),
        has_tools=tools if isinstance(tools, bool) else None,
        weights=_weights(name, meta.get("n_params"), meta.get("size"), meta.get("ftype")),
    )


def _of_ollama(model: str, shown: object, loaded: object) -> ServerFacts:
    """Read what Ollama says.

    Its window is the one that was allocated, or that the model's parameters ask for: what the
    weights were trained for says nothing, prompts are cut at the other without a word.

    Args:
        model: What the server knows the model by.
        shown: The answer at `/api/show`.
        loaded: The answer at `/api/ps`.
    """
    details, capabilities = _object(shown, "details"), _names(shown, "capabilities")
    running = _entry(model, "name", _objects(loaded, "models"), alone=False)
    parameters = re.search(r"(?m)^num_ctx\s+(\d{1,9})\s*$", str(_field(shown, "parameters") or ""))
    return ServerFacts(
        window=_window(running.get("context_length"), int(parameters[1]) if parameters else 0),
        has_tools="tools" in capabilities if "completion" in capabilities else None,
        weights=_weights(
            model if details else "",
            details.get("parameter_size"),
            None,
            details.get("quantization_level"),
        ),
    )


def _of_lm_studio(model: str, listing: object) -> ServerFacts:
    """Read what LM Studio says at `/api/v1/models`.

    Tools work there with models that were not trained for them, too.
    """
    entries = [
        entry
        for entry in _objects(listing, "models")
        if model == entry.get("key") or _entry(model, "id", _objects(entry, "loaded_instances"))
    ]
    entry: Mapping[str, Any] = entries[0] if entries else {}
    instances = _objects(entry, "loaded_instances")
    instance = _entry(model, "id", instances) or (instances[0] if instances else {})
    return ServerFacts(
        window=_window(_object(instance, "config").get("context_length")),
        weights=_weights(
            str(entry.get("key", "")).rpartition("/")[2],
            entry.get("params_string"),
            entry.get("size_bytes"),
            _object(entry, "quantization").get("name"),
        ),
    )


def _entry(
    model: str, field: str, entries: Sequence[Mapping[str, Any]], *, alone: bool = True
) -> Mapping[str, Any]:
    """Return the entry of a model; with `alone`, also the only one that there is."""
    named = [entry for entry in entries if model in (entry.get(field), entry.get("model"))]
    if not named and alone and len(entries) == 1:
        return entries[0]
    return named[0] if named else {}


def _objects(value: object, name: str) -> list[Mapping[str, Any]]:
    items = _items(value, name)
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, dict)]


def _names(value: object, name: str) -> list[str]:
    return [item for item in _items(value, name) if isinstance(item, str)]


def _items(value: object, name: str) -> list[object]:
    inner = _field(value, name)
    return cast("list[object]", inner) if isinstance(inner, list) else []


def _object(value: object, name: str) -> Mapping[str, Any]:
    inner = _field(value, name)
    return cast("Mapping[str, Any]", inner) if isinstance(inner, dict) else {}


def _field(value: object, name: str) -> object:
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None


def _window(*numbers: object) -> int:
    return next((number for number in numbers if _is_window(number)), 0)


def _is_window(number: object) -> TypeGuard[int]:
    is_whole = isinstance(number, int) and not isinstance(number, bool)
    return is_whole and _SMALLEST_WINDOW <= cast("int", number) < 10**8


def _weights(name: str, parameters: object, size: object, kind: object) -> str:
    """Return name, size and quantization of weights in one line, as far as they were told."""
    parts = [
        name[:_LONGEST_PART],
        _counted(parameters, "parameters"),
        _counted(size, "bytes"),
        kind[:_LONGEST_PART] if isinstance(kind, str) else "",
    ]
    return printable(", ".join(filter(None, parts)))


def _counted(number: object, unit: str) -> str:
    if isinstance(number, str):
        return f"{number[:_LONGEST_PART]} {unit}" if number else ""
    is_count = isinstance(number, int) and not isinstance(number, bool) and number > 0
    return f"{number:,} {unit}" if is_count else ""
