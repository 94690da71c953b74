"""Model calls as parts of a page: their texts in pieces, and what is told of them in few words."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from hyperspace.reporting.legible import without_terminal_codes
from hyperspace.reporting.rendering import shortened
from hyperspace.runs.traces.pages import CutText, PagedCall
from hyperspace.runs.traces.search import Excerpt

_START: Final = 400  # characters of a text that a line is made of


class TextPiece(NamedTuple):
    """A piece of a text; `is_hit` of what was searched for."""

    text: str
    is_hit: bool


def pieces(content: CutText, find: re.Pattern[str] | None) -> Iterator[TextPiece]:
    """Yield a text of a call in pieces, without what a terminal would obey."""
    # What a model called a tool with may be code: nothing is left out of it.
    is_exact = content.field.startswith("arguments")
    text = content.text if is_exact else without_terminal_codes(content.text)
    end = 0
    for match in find.finditer(text) if find else ():
        yield TextPiece(text[end : match.start()], is_hit=False)
        yield TextPiece(match[0], is_hit=True)
        end = match.end()
    yield TextPiece(text[end:], is_hit=False)


def start_of(content: CutText) -> str:
    """Return the start of a text on one line."""
    return shortened(" ".join(without_terminal_codes(content.text[:_START]).split()), 100)


def on_one_line(excerpt: Excerpt) -> Excerpt:
    """Return what was found and the words around it, without their line breaks."""
    before, after = (" ".join(text.split()) for text in (excerpt.before, excerpt.after))
    before += " " * excerpt.before[-1:].isspace()
    return Excerpt(before, excerpt.hit, " " * excerpt.after[:1].isspace() + after)


def format_field(field: str) -> str:
    """Return what a text of a call is called, for people."""
    kind = field.partition("-")[0]
    told = {"message": "sent", "arguments": "tool call", "result": "what a tool said"}
    return told.get(kind, kind)


def told_cost(cost_usd: float | None) -> str:
    """Return money as the product writes it; empty where it is not known."""
    if cost_usd is None:
        return ""
    return f"${cost_usd:.4f}" if 0 < cost_usd < 0.1 else f"${cost_usd:.2f}"


def told_seconds(seconds: float) -> str:
    """Return a time that a person can read."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def call_facts(call: PagedCall) -> list[str]:
    """Return what is told of a call beside its texts."""
    tokens = ""
    if call.prompt_tokens is not None and call.completion_tokens is not None:
        tokens = f"{call.prompt_tokens:,} tokens sent, {call.completion_tokens:,} back"
    facts = [
        f"{call.purpose} {call.item}".strip(),
        call.model,
        tokens,
        told_cost(call.cost_usd),
        "" if call.seconds is None else told_seconds(call.seconds),
        "served from an earlier attempt, nothing paid" if call.served else "",
        "cached from another run, nothing paid" if call.cached else "",
        call.timestamp[11:19],
        "" if call.finish in ("", "stop", "tool_calls") else f"ended by {call.finish}",
    ]
    return [*filter(None, facts)]
