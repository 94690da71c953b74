"""The trace of a generation: the conversation call by call, one text of it whole, words found."""

from functools import partial
from typing import Any, Final

from hyperspace.dashboard.api.trace import MOST_SHOWN, TracePage, read_page, trace_of
from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.pages.addresses import run_page
from hyperspace.dashboard.pages.calls import told_cost, told_seconds
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View
from hyperspace.reporting.rendering import shortened
from hyperspace.runs.traces.files import PlacedTrace
from hyperspace.runs.traces.pages import read_text, read_whole_call
from hyperspace.runs.traces.search import TraceHits, pattern_of, search_trace

SEARCH_S: Final = 2.0
MOST_AT_ONCE: Final = 100_000  # characters of one text on a page
MOST_OF_EACH: Final = 2_000  # of each message of a whole request
MESSAGES: Final = 100  # of a whole request on a page


def render(question: Question) -> PageContent:
    """Show a page of a trace, or a text of it, or where words stand in it."""
    path = question.path
    below = ("agents", path["agent"], "generations", path["generation"], "trace")
    if question.query.get("whole"):
        shown = _whole(question, question.whole("whole", 1), question.text("field", most=40))
    elif query := question.text("q"):
        shown = _hits(question, query)
    else:
        shown = _page(question)
    addresses = {
        "trace": run_page(question, *below),
        "here": partial(run_page, question, *below),
    }
    return shown._replace(values={**addresses, **shown.values})


def _page(question: Question) -> PageContent:
    page, query = read_page(question, MOST_SHOWN), question.text("find")
    number = question.path["generation"]
    values: dict[str, Any] = {
        "shown": page,
        "totals": _totals(page),
        "agent": question.path["agent"],
        # A final test has no page of its own.
        "generation": int(number) if number.isdecimal() else None,
        "query": query,
        "find": pattern_of(query) if query else None,
    }
    return PageContent(_title(trace_of(question)), "trace.html", values)


def _whole(question: Question, line: int, field: str) -> PageContent:
    placed, at = trace_of(question), question.whole("at", 0)
    with question.sources.traces.open(placed.trace) as opened:
        if opened.file is None:
            raise NotThere(f"this trace {opened.problem}")
        title = f"{_title(placed)}, line {line}"
        values: dict[str, Any] = {"line": line, "find": None}
        if not field:
            messages = read_whole_call(opened.file, opened.index, line, MOST_OF_EACH)
            if messages is None:
                raise NotThere(f"line {line} of this trace holds no call")
            later = at + MESSAGES
            values |= {
                "count": len(messages),
                "messages": messages[at:later],
                "later": later if len(messages) > later else 0,
            }
            return PageContent(title, "trace_request.html", values)
        text = read_text(opened.file, opened.index, line, field)
    if text is None:
        raise NotThere(f"line {line} of this trace has no text {field!r}")
    rest = at + MOST_AT_ONCE
    values |= {
        "field": field,
        "size": len(text),
        "at": at,
        "text": text[at:rest],
        "rest": rest if rest < len(text) else 0,
    }
    return PageContent(title, "trace_text.html", values)


def _hits(question: Question, query: str) -> PageContent:
    placed, after = trace_of(question), question.whole("after", 0)
    with question.sources.traces.open(placed.trace) as opened:
        matches = TraceHits((), 0, True)
        if opened.file is not None:
            matches = search_trace(opened.file, opened.index, query, after, SEARCH_S)
    values: dict[str, Any] = {
        "problem": opened.problem,
        "matches": matches,
        "query": query,
        "quoted_query": repr(query),
        "shortened_query": repr(shortened(query)),
    }
    return PageContent(f"{_title(placed)}: search", "trace_search.html", values)


def _totals(page: TracePage) -> list[str]:
    total = page.totals
    if not total.calls:
        return []
    facts = [
        f"{total.calls:,} call{'s' * (total.calls != 1)}",
        f"{total.prompt_tokens:,} tokens sent, {total.completion_tokens:,} back",
        told_cost(total.cost_usd),
        f"answers took {told_seconds(total.seconds)}",
        f"{total.served:,} served from an earlier attempt" if total.served else "",
        f"{total.cached:,} cached from another run" if total.cached else "",
        f"{total.errors:,} refused by the provider" if total.errors else "",
    ]
    return [*filter(None, facts)]


def _title(placed: PlacedTrace) -> str:
    of = "final test" if placed.generation == "test" else f"generation {placed.generation}"
    return f"Trace: {shortened(placed.agent)} {of}"


VIEW = View("trace", "/runs/{run}/agents/{agent}/generations/{generation}/trace", render)
