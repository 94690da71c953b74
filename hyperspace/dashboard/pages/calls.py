"""Model calls drawn: what is new in each, what came back, tools with what they said, folded."""

import re
from typing import Final, NamedTuple

from hyperspace.dashboard.pages.parts import link, shortened
from hyperspace.reporting.legible import without_terminal_codes
from hyperspace.reporting.lines import counted
from hyperspace.reporting.page import Markup, escaped, folded, joined
from hyperspace.runs.traces.pages import CutText, PagedCall, TracedTool, TraceMessage
from hyperspace.runs.traces.search import Excerpt

_SHORT: Final = 400  # characters of a text that is not folded
_SHORT_LINES: Final = 8
_REFUSED: Final = '<p class="bad">The provider refused this call:</p>\n'


class CallAddresses(NamedTuple):
    """Where a trace lies, for links out of its calls.

    Attributes:
        trace: Address of its page, without what stands behind the question mark.
        find: What to mark in the texts; None for nothing.
    """

    trace: str
    find: re.Pattern[str] | None = None

    def whole(self, line: int, field: str = "") -> str:
        """Return the address of a whole call, or of one text of it."""
        return f"{self.trace}?whole={line}" + (f"&field={field}" if field else "")


def drawn_call(call: PagedCall, where: CallAddresses) -> Markup:
    """Return one call."""
    said = _text(call.line, call.response, where)
    parts = [
        *(_message(call.line, each, where) for each in call.new),
        _folded_text("thinking", call.line, call.thinking, where),
        Markup(said.replace("<pre>", '<pre class="said">', 1)),
        *(_tool(call.line, each, where) for each in call.tools),
        *([Markup(_REFUSED), _text(call.line, call.error, where)] if call.error.size else ()),
    ]
    return Markup(
        f'<article class="call" id="line-{call.line}" tabindex="-1">\n{_head(call, where)}'
        f"{joined(parts)}</article>\n"
    )


def drawn_message(line: int, message: TraceMessage, where: CallAddresses) -> Markup:
    """Return one message of a whole request."""
    return Markup(f'<article class="call">{_message(line, message, where)}</article>\n')


def words_around(excerpt: Excerpt) -> Markup:
    """Return what was found among the words around it, on one line."""
    before, after = (" ".join(text.split()) for text in (excerpt.before, excerpt.after))
    hit = f"<mark>{escaped(excerpt.hit)}</mark>"
    spaced = (
        " " if excerpt.before[-1:].isspace() else "",
        " " if excerpt.after[:1].isspace() else "",
    )
    return Markup(f"…{escaped(before)}{spaced[0]}{hit}{spaced[1]}{escaped(after)}…")


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


def _head(call: PagedCall, where: CallAddresses) -> Markup:
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
    number = link(f"#{call.line}", f"{where.trace}?from={call.line}#line-{call.line}")
    told = " · ".join(filter(None, facts))
    request = link(counted(call.messages, "message"), where.whole(call.line))
    left_out = call.new_count - len(call.new)
    more = f", {left_out} more new ones not shown" if left_out else ""
    return Markup(f'<p class="call-head">{number} {escaped(told)} · {request}{more}</p>\n')


def _message(line: int, message: TraceMessage, where: CallAddresses) -> Markup:
    who = "what a tool said" if message.by_tool else message.role or "no role"
    return _folded_text(who, line, message.content, where, unfold=not message.by_tool)


def _tool(line: int, tool: TracedTool, where: CallAddresses) -> Markup:
    title = f"{tool.name or 'a tool without a name'} {shortened(tool.brief)}"
    result = Markup('<p class="weak">No later request tells what it said.</p>\n')
    if tool.result is not None:
        result = joined((Markup('<p class="weak">said</p>\n'), _text(line, tool.result, where)))
    inner = (_text(line, tool.arguments, where), result)
    is_open = _is_hit(where, tool.arguments) or (
        tool.result is not None and _is_hit(where, tool.result)
    )
    return _details(Markup(f'<span class="tool">{escaped(title)}</span>'), is_open, *inner)


def _folded_text(
    title: str, line: int, content: CutText, where: CallAddresses, *, unfold: bool = False
) -> Markup:
    """Return a text under its title: folded, unless it is short and is to be read at once."""
    if not content.size:
        return Markup("")
    is_short = content.size <= _SHORT and content.text.count("\n") < _SHORT_LINES
    if unfold and is_short:
        return Markup(f'<p class="weak">{escaped(title)}</p>\n{_text(line, content, where)}')
    start = shortened(" ".join(without_terminal_codes(content.text[:_SHORT]).split()), 100)
    heading = Markup(
        f'{escaped(title)} <span class="weak">{content.size:,} characters: {escaped(start)}</span>'
    )
    return _details(heading, _is_hit(where, content), _text(line, content, where))


def _details(title: Markup, is_open: bool, *parts: str) -> Markup:
    drawn = folded(title, *parts)
    return Markup(drawn.replace("<details>", "<details open>", 1)) if is_open else drawn


def _is_hit(where: CallAddresses, content: CutText) -> bool:
    return where.find is not None and where.find.search(content.text) is not None


def _text(line: int, content: CutText, where: CallAddresses) -> Markup:
    if not content.size:
        return Markup("")
    more = ""
    if content.is_cut:
        told = f"all {content.size:,} characters"
        more = f'<p class="weak">{link(told, where.whole(line, content.field))}</p>\n'
    # What a model called a tool with may be code: nothing is left out of it.
    is_exact = content.field.startswith("arguments")
    text = content.text if is_exact else without_terminal_codes(content.text)
    return Markup(f"<pre>{_highlighted(text, where.find)}</pre>\n{more}")


def _highlighted(text: str, find: re.Pattern[str] | None) -> Markup:
    """Return a text with what was searched for marked."""
    if find is None:
        return escaped(text)
    parts, end = list[str](), 0
    for match in find.finditer(text):
        parts += [escaped(text[end : match.start()]), f"<mark>{escaped(match[0])}</mark>"]
        end = match.end()
    return Markup("".join((*parts, escaped(text[end:]))))
