"""The trace of a generation: the conversation call by call, one text of it whole, words found."""

from collections.abc import Iterator
from typing import Final

from hyperspace.dashboard.api.trace import MOST_SHOWN, TracePage, read_page, trace_of
from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.pages.addresses import generation_page, run_page
from hyperspace.dashboard.pages.calls import (
    CallAddresses,
    drawn_call,
    drawn_message,
    format_field,
    told_cost,
    told_seconds,
    words_around,
)
from hyperspace.dashboard.pages.forms import FormField, asking_form
from hyperspace.dashboard.pages.parts import link, shortened
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.reporting.page import Markup, bullets, joined, note, paragraph, preformatted
from hyperspace.runs.traces.files import PlacedTrace
from hyperspace.runs.traces.pages import read_text, read_whole_call
from hyperspace.runs.traces.search import TraceHits, pattern_of, search_trace

SEARCH_S: Final = 2.0
MOST_AT_ONCE: Final = 100_000  # characters of one text on a page
MOST_OF_EACH: Final = 2_000  # of each message of a whole request


def render(question: Question) -> PageContent:
    """Show a page of a trace, or a text of it, or where words stand in it."""
    if question.query.get("whole"):
        return _whole(question, question.whole("whole", 1), question.text("field", most=40))
    if question.text("q"):
        return _hits(question, question.text("q"))
    return _page(question)


def _page(question: Question) -> PageContent:
    page = read_page(question, MOST_SHOWN)
    find = question.text("find")
    where = CallAddresses(_address(question), pattern_of(find) if find else None)
    parts = (
        _way_back(question),
        *_notes(page),
        _search_form(question, find),
        _purposes(question, page),
        _pager(question, page),
        *(drawn_call(call, where) for call in page.calls),
        _pager(question, page) if len(page.calls) > 1 else "",
    )
    return glued(_title(trace_of(question)), parts, lead=_totals(page))


def _whole(question: Question, line: int, field: str) -> PageContent:
    placed = trace_of(question)
    with question.sources.traces.open(placed.trace) as opened:
        if opened.file is None:
            raise NotThere(f"this trace {opened.problem}")
        title = f"{_title(placed)}, line {line}"
        back = link("back to the call", _page_address(question, line))
        if not field:
            messages = read_whole_call(opened.file, opened.index, line, MOST_OF_EACH)
            if messages is None:
                raise NotThere(f"line {line} of this trace holds no call")
            first = question.whole("at", 0)
            shown = messages[first : first + _MESSAGES]
            more = len(messages) > first + _MESSAGES
            where = CallAddresses(_address(question))
            after = {"whole": line, "at": first + _MESSAGES}
            parts = (
                paragraph(back, f" · {len(messages)} messages were sent with this call"),
                *(drawn_message(line, message, where) for message in shown),
                paragraph(link("later messages", _address(question, **after))) if more else "",
            )
            return glued(title, parts)
        text = read_text(opened.file, opened.index, line, field)
    if text is None:
        raise NotThere(f"line {line} of this trace has no text {field!r}")
    at = question.whole("at", 0)
    part = text[at : at + MOST_AT_ONCE]
    told = f" · {field}: {len(text):,} characters"
    if len(text) > MOST_AT_ONCE:
        told += f", shown from {at:,} to {at + len(part):,}"
    rest = _address(question, whole=line, field=field, at=at + MOST_AT_ONCE)
    more = paragraph(link("the text goes on", rest)) if at + len(part) < len(text) else ""
    return glued(title, (paragraph(back, told), preformatted(part), more), wide=True)


_MESSAGES: Final = 100


def _hits(question: Question, query: str) -> PageContent:
    placed, after = trace_of(question), question.whole("after", 0)
    with question.sources.traces.open(placed.trace) as opened:
        matches = TraceHits((), 0, True)
        if opened.file is not None:
            matches = search_trace(opened.file, opened.index, query, after, SEARCH_S)
    rows = [
        joined(
            (
                link(f"line {hit.line}", _page_address(question, hit.line, find=query)),
                f", {format_field(hit.field)}: ",
                words_around(hit.excerpt),
            )
        )
        for hit in matches.hits
    ]
    count = f"{len(rows)} texts hold {shortened(query)!r}, searched up to line {matches.upto}."
    onward = link("search on", _address(question, q=query, after=matches.upto))
    parts = (
        note(f"This trace {opened.problem}.") if opened.problem else "",
        _search_form(question, query),
        paragraph(count) if rows else paragraph(f"Nothing here holds {query!r}, in any case."),
        bullets(rows),
        "" if matches.is_done else paragraph("This is not all of the trace: ", onward),
        paragraph(link("back to the trace", _address(question))),
    )
    return glued(f"{_title(placed)}: search", parts)


def _notes(page: TracePage) -> Iterator[str]:
    if page.is_open:
        yield note("This generation is still being made; its trace grows.")
    if page.problem:
        yield note(f"This trace {page.problem}.")
    if page.damaged:
        lines = ", ".join(map(str, page.damaged))
        yield note(f"Lines that could not be read: {lines}.")
    if page.is_cut:
        yield note(f"This trace has more lines than are shown: the last one is {page.last_line}.")


def _totals(page: TracePage) -> str:
    total = page.totals
    if not total.calls:
        return "No model was asked."
    facts = [
        f"{total.calls:,} call{'s' * (total.calls != 1)}",
        f"{total.prompt_tokens:,} tokens sent, {total.completion_tokens:,} back",
        told_cost(total.cost_usd),
        f"answers took {told_seconds(total.seconds)}",
        f"{total.served:,} served from an earlier attempt" if total.served else "",
        f"{total.cached:,} cached from another run" if total.cached else "",
        f"{total.errors:,} refused by the provider" if total.errors else "",
    ]
    return ", ".join(filter(None, facts)) + "."


def _way_back(question: Question) -> Markup:
    """Return a link to the generation; a final test has no page of its own."""
    number = question.path["generation"]
    if not number.isdecimal():
        return Markup("")
    back = link(
        f"generation {number}", generation_page(question, question.path["agent"], int(number))
    )
    return paragraph("Calls of ", back, ": code, scores and errors are there.")


def _purposes(question: Question, page: TracePage) -> Markup:
    if len(page.parts) < 2:
        return Markup("")
    links = [
        link(f"{part.purpose[:40]} ({part.calls})", _page_address(question, part.line))
        for part in page.parts
    ]
    return Markup(f'<p class="links">{" ".join(links)}</p>\n')


def _pager(question: Question, page: TracePage) -> Markup:
    if not page.calls:
        return Markup("")
    first, last = page.calls[0].line, page.calls[-1].line
    parts = [
        link("earlier", _address(question, **{"from": page.before})) if page.before else "",
        f"lines {first} to {last} of {page.last_line}",
        link("later", _address(question, **{"from": page.after})) if page.after else "",
    ]
    return Markup(f'<p class="links">{joined(each for each in parts if each)}</p>\n')


def _search_form(question: Question, query: str) -> Markup:
    return asking_form(
        _address(question), (FormField("q", "words in this trace", query),), "Search"
    )


def _title(placed: PlacedTrace) -> str:
    of = "final test" if placed.generation == "test" else f"generation {placed.generation}"
    return f"Trace: {shortened(placed.agent)} {of}"


def _page_address(question: Question, line: int, **query: str | int) -> str:
    return f"{_address(question, **{'from': line, **query})}#line-{line}"


def _address(question: Question, **query: str | int) -> str:
    path = question.path
    where = ("agents", path["agent"], "generations", path["generation"], "trace")
    return run_page(question, *where, **query)


VIEW = View("trace", "/runs/{run}/agents/{agent}/generations/{generation}/trace", render)
