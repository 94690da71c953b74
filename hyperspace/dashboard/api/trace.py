"""A trace, as JSON: what each call took, and with `content=1` what was said."""

import msgspec

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.arrows import UNNAMED
from hyperspace.runs.traces.files import PlacedTrace, agent_folders, find_trace
from hyperspace.runs.traces.index import PurposePart, TraceTotals
from hyperspace.runs.traces.pages import PagedCall, read_calls

CALLS = 20
MOST_SHOWN = 8_000  # characters of a text


class TracePage(msgspec.Struct, frozen=True, kw_only=True):
    """Some calls of a trace.

    Attributes:
        agent: Whose.
        generation: Of which generation, or `test`.
        is_open: Whether that generation is still being made.
        problem: Why the trace does not tell what was said, as a sentence's end; empty if it does.
        totals: What all its calls took.
        parts: The trace by purpose.
        damaged: Lines that could not be read, at most 40 of them.
        is_cut: Whether the trace has more lines than are shown.
        last_line: Its last line that holds a call.
        calls: The calls of this page; texts are empty without `content=1`.
        before: The line that the page before begins with; 0 if this is the first.
        after: The line that the next page begins with; 0 if this is the last.
    """

    agent: str
    generation: str
    is_open: bool
    problem: str
    totals: TraceTotals
    parts: tuple[PurposePart, ...]
    damaged: tuple[int, ...]
    is_cut: bool
    last_line: int
    calls: tuple[PagedCall, ...]
    before: int
    after: int


def trace_of(question: Question) -> PlacedTrace:
    """Find the trace of the address.

    Raises:
        NotThere: There is no such run, agent or generation.
    """
    folder, agent, generation = (
        question.place.folder,
        question.path["agent"],
        question.path["generation"],
    )
    placed = find_trace(folder, "" if agent == UNNAMED else agent, generation)
    if placed is None:
        names = ", ".join(agent_folders(folder)) or "none"
        raise NotThere(
            f"there is no generation {generation[:20]!r} of an agent {agent[:80]!r} in this run; "
            f"its agents are {names[:500]}, and generations are numbers, or test"
        )
    return placed


def read_page(question: Question, most: int) -> TracePage:
    """Read the page of a trace that `from` begins.

    Args:
        question: The question.
        most: Characters of each text; 0 for none.
    """
    placed, first = trace_of(question), question.whole("from", 1)
    with question.sources.traces.open(placed.trace) as opened:
        index = opened.index
        calls = list(
            () if opened.file is None else read_calls(opened.file, index, first, CALLS, most)
        )
        last = calls[-1].line if calls else index.last_line
        following = next(index.calls(last + 1, 1), None)
        return TracePage(
            agent=placed.agent,
            generation=placed.generation,
            is_open=placed.is_open,
            problem=opened.problem,
            totals=index.totals,
            parts=tuple(index.parts),
            damaged=tuple(index.damaged),
            is_cut=index.is_cut,
            last_line=index.last_line,
            calls=tuple(calls),
            before=index.before(first, CALLS),
            after=0 if following is None else following.line,
        )


def answer(question: Question) -> TracePage:
    """Read a page of a trace."""
    return read_page(question, MOST_SHOWN if question.with_texts else 0)


ENDPOINT = ApiEndpoint(
    "trace",
    "/api/runs/{run}/agents/{agent}/generations/{generation}/trace",
    answer,
    TracePage,
    "The model calls of a generation, twenty at a time.",
    (("from", "The line to begin with."), ("content", "1 for what was said, too.")),
)
