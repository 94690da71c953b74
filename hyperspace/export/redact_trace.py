"""A trace line without what was said: form, sizes and hashes stay.

What a text is replaced by names its length and SHA-256, so that whoever has the original can show
that it is the one. A short text can be guessed from its hash.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple, cast

import msgspec

from guards.parsing import decode_json
from hyperspace.kernel.files import canonical_json, sha256_hex

_HIDDEN: Final = re.compile(r"\[redacted: \d+ characters, SHA-256 ([0-9a-f]{64})\]")
Tell = Callable[[str, int], None]


class LineForm(NamedTuple):
    """Fields of a line that hold nothing that was said, and fields to look into.

    Below the latter, texts are hidden one by one; any other object is hidden as a whole.
    """

    kept: frozenset[str]
    opened: frozenset[str]


CALL: Final = LineForm(
    kept=frozenset(
        {
            "call_id",
            "timestamp",
            "model",
            "purpose",
            "item",
            "ordinal",
            "request_sha256",
            "served",
            "cached",
            "seconds",
            "cost_usd",
            "usage",
            "finish",
            "returned_model",
            "temperature",
            "seed",
            "max_tokens",
            "kind",
            "role",
            "id",
            "name",
            "tool_call_id",
        }
    ),
    opened=frozenset({"messages", "tool_calls", "tools", "error", "function"}),
)
# Of accesses.jsonl, whose lines are code that may be nowhere else in the run.
ACCESS: Final = LineForm(
    kept=frozenset({"step", "path", "kind", "count", "first", "last", "unobserved"}),
    opened=frozenset({"lines"}),
)

# Of answers.jsonl, as an answer may be what a model said; and of truth.jsonl.
ANSWER: Final = LineForm(kept=frozenset({"id"}), opened=frozenset())


def hide_lines(data: bytes, form: LineForm, tell: Tell) -> bytes:
    """Hide the texts of every line of a file; `tell` is told how many of each kind."""
    lines = (line for line in data.split(b"\n") if line.strip())
    return b"".join(_hide_line(line, form, tell) + b"\n" for line in lines)


def may_be(text: str, digest: str) -> bool:
    """Return whether a text has a hash, or was replaced by it."""
    hidden = _HIDDEN.fullmatch(text)
    return digest in (sha256_hex(text.encode()), hidden and hidden[1])


def is_hidden(text: str, digest: str) -> bool:
    """Return whether a text stands for one with this hash that was taken out."""
    hidden = _HIDDEN.fullmatch(text)
    return hidden is not None and hidden[1] == digest


def hide_quotes(summary: Any, tell: Tell) -> Any:
    """Hide what the evidence of adoptions in a summary.json quotes from replies."""
    for event in summary.get("adoptions", ()):
        for evidence in event.get("evidence", ()):
            evidence["quote"] = _hide(evidence.get("quote"), tell)
    return summary


def _hide_line(line: bytes, form: LineForm, tell: Tell) -> bytes:
    # What can be decoded here may be nested too deeply to be encoded some calls further down.
    with suppress(msgspec.DecodeError, RecursionError):
        call = decode_json(line, object)
        if isinstance(call, dict):
            return msgspec.json.encode(_open(cast("dict[str, Any]", call), form, tell))
    # No JSON comes of it: a damaged line stays one for whoever reads the file.
    return f"damaged {_hide(line.decode('utf-8', 'replace'), tell)}".encode()


def _open(fields: dict[str, Any], form: LineForm, tell: Tell) -> dict[str, Any]:
    return {name: _field(name, value, form, tell) for name, value in fields.items()}


def _field(name: str, value: Any, form: LineForm, tell: Tell) -> Any:
    if name in form.kept:
        return value
    if name not in form.opened:
        return _hide(value, tell)
    if isinstance(value, list):
        return [_field(name, inner, form, tell) for inner in cast("list[Any]", value)]
    if isinstance(value, dict):
        return _open(cast("dict[str, Any]", value), form, tell)
    return _hide(value, tell)


def _hide(value: Any, tell: Tell) -> Any:
    if value in (None, "", [], ()) or isinstance(value, bool):
        return value
    text = value if isinstance(value, str) else canonical_json(value).decode()
    if _HIDDEN.fullmatch(text):  # by an earlier export, or in this form, which says nothing
        return text
    tell("text", 1)
    return f"[redacted: {len(text)} characters, SHA-256 {sha256_hex(text.encode())}]"
