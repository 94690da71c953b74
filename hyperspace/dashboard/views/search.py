"""Words found in the traces and the code of all runs, or of one."""

from collections.abc import Iterator

from hyperspace.dashboard.pages.calls import format_field, words_around
from hyperspace.dashboard.pages.forms import FormField, asking_form
from hyperspace.dashboard.pages.parts import link, named, shortened
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.arrows import UNNAMED
from hyperspace.dashboard.search.database import FEWEST_LETTERS
from hyperspace.dashboard.search.search import SearchAnswer, SearchHit, search
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.kernel.state.folder import TRACE
from hyperspace.reporting.page import Markup, breakable, bullets, joined, note, paragraph, section


def render(question: Question) -> PageContent:
    """Search, or show the form."""
    query = question.text("q")
    title = "Search in all runs"
    if "run" in question.path:
        title = f"Search in {shortened(question.place.name)}"
    form = asking_form(_address(question), (FormField("q", "words", query),), "Search")
    help_ = (
        "Finds texts as they stand, in any case, in what models and tools said, in what they were "
        f"sent, and in the code of generations; at least {FEWEST_LETTERS} letters."
    )
    if len(query) < FEWEST_LETTERS:
        few = note(f"Give at least {FEWEST_LETTERS} letters.") if query else ""
        return glued(title, (form, few, paragraph(help_)))
    answer = search(question, with_texts=True)
    parts = (form, *_progress(question, answer, query), *_results(question, answer, query))
    return glued(title, parts, scripts=("searching.js",))


def _progress(question: Question, answer: SearchAnswer, query: str) -> Iterator[str]:
    if answer.problem:
        yield note(answer.problem)
    if answer.is_filling:
        told = f"{answer.runs_read} of {answer.runs} runs are read so far. "
        again = link("Read on", _address(question, q=query))
        yield Markup(f'<p class="note" id="reading-on">{joined((told, again))}</p>\n')
    if answer.unread:
        told = "; ".join(f"{count} that {why}" for why, count in answer.unread.items())
        yield note(f"Traces that could not be searched whole: {told}.")


def _results(question: Question, answer: SearchAnswer, query: str) -> Iterator[str]:
    if not answer.hits:
        yield paragraph(f"Nothing {'yet ' * answer.is_filling}holds {query!r}.")
    for run in dict.fromkeys(hit.run for hit in answer.hits):
        hits = [hit for hit in answer.hits if hit.run == run]
        shown = bullets(_hit(question, hit, query) for hit in hits)
        yield shown if "run" in question.path else section(breakable(hits[0].run_name), shown)
    if answer.after:
        yield paragraph(link("more", _address(question, q=query, after=answer.after)))


def _hit(question: Question, hit: SearchHit, query: str) -> Markup:
    agent, number = hit.agent or UNNAMED, hit.generation
    address = question.links.page("runs", hit.run, "agents", agent, "generations", number)
    of = "final test" if number == "test" else f"generation {number}"
    where, what = f"{address}?file={hit.file}#L{hit.line}", f"{hit.file}, line {hit.line}"
    if hit.file == TRACE:
        query_part = {"from": hit.line, "find": query}
        below = ("agents", agent, "generations", number, "trace")
        where = f"{question.links.page('runs', hit.run, *below, **query_part)}#line-{hit.line}"
        what = f"line {hit.line}, {format_field(hit.field)}"
    around = words_around(hit.excerpt) if hit.excerpt else ""
    excerpt = Markup(f'<div class="excerpt">{around}</div>')
    return joined((named(agent), " ", link(f"{of}, {what}", where), excerpt))


def _address(question: Question, **query: str | int) -> str:
    parts = ("runs", question.path["run"], "search") if "run" in question.path else ("search",)
    return question.links.page(*parts, **query)


VIEW = View("search", "/search", render, in_bundle=False)
RUN_VIEW = View("run_search", "/runs/{run}/search", render, label="Search", in_bundle=False)
