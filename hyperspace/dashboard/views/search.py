"""Words found in the traces and the code of all runs, or of one."""

from functools import partial
from typing import Any, NamedTuple

from hyperspace.dashboard.pages.calls import format_field
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.arrows import UNNAMED
from hyperspace.dashboard.search.database import FEWEST_LETTERS
from hyperspace.dashboard.search.search import SearchHit, search
from hyperspace.dashboard.view import PageContent, View
from hyperspace.kernel.state.folder import TRACE
from hyperspace.reporting.rendering import shortened
from hyperspace.runs.traces.search import Excerpt


class ShownHit(NamedTuple):
    """Words that were found: whose they are, where they stand, and those around them."""

    agent: str
    where: str
    address: str
    excerpt: Excerpt | None


class RunHits(NamedTuple):
    """What was found in one run."""

    name: str
    hits: list[ShownHit]


def render(question: Question) -> PageContent:
    """Search, or show the form."""
    query = question.text("q")
    title = "Search in all runs"
    if "run" in question.path:
        title = f"Search in {shortened(question.place.name)}"
    values: dict[str, Any] = {
        "query": query,
        "quoted": repr(query),
        "fewest_letters": FEWEST_LETTERS,
        "search_page": partial(_address, question),
        "answer": None,
    }
    if len(query) >= FEWEST_LETTERS:
        answer = search(question, with_texts=True)
        runs: dict[str, RunHits] = {}
        for hit in answer.hits:
            hits = runs.setdefault(hit.run, RunHits(hit.run_name, [])).hits
            hits.append(_shown(question, hit, query))
        values |= {"answer": answer, "runs": runs.values()}
    return PageContent(title, "search.html", values)


def _shown(question: Question, hit: SearchHit, query: str) -> ShownHit:
    agent, number = hit.agent or UNNAMED, hit.generation
    below = ("runs", hit.run, "agents", agent, "generations", number)
    of = "final test" if number == "test" else f"generation {number}"
    if hit.file == TRACE:
        address = question.links.page(*below, "trace", **{"from": hit.line, "find": query})
        where = f"{of}, line {hit.line}, {format_field(hit.field)}"
        return ShownHit(agent, where, f"{address}#line-{hit.line}", hit.excerpt)
    address = f"{question.links.page(*below)}?file={hit.file}#L{hit.line}"
    return ShownHit(agent, f"{of}, {hit.file}, line {hit.line}", address, hit.excerpt)


def _address(question: Question, **query: str | int) -> str:
    parts = ("runs", question.path["run"], "search") if "run" in question.path else ("search",)
    return question.links.page(*parts, **query)


VIEW = View("search", "/search", render, in_bundle=False)
RUN_VIEW = View("run_search", "/runs/{run}/search", render, label="Search", in_bundle=False)
