"""A research run: the best score over ideas, what runs now, ideas ranked, what it spends."""

from collections.abc import Iterator, Sequence
from typing import Final

from hyperspace.dashboard.api.ideas import ORDERS, PAGE, IdeaRecord, listed_ideas
from hyperspace.dashboard.live.research_cells import cells_of_research
from hyperspace.dashboard.pages.addresses import run_page
from hyperspace.dashboard.pages.facts import facts
from hyperspace.dashboard.pages.pager import pager
from hyperspace.dashboard.pages.parts import choice, commands, link, named, numbered_names
from hyperspace.dashboard.pages.run_cells import KINDS, live, next_command
from hyperspace.dashboard.pages.run_svg import scores_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.curves import COLUMNS, curves_of, metrics
from hyperspace.dashboard.results.followed_research import ResearchStanding
from hyperspace.reporting.lines import counted
from hyperspace.reporting.page import Markup, escaped, joined, note, paragraph, section, table

HEADINGS: Final = (
    *("idea", "score", "state", "epoch", "kind", "changes", "had by", "diffs", "CPU s", "in words"),
)
_KEPT_TOGETHER: Final = "\N{NO-BREAK SPACE}"
FACTS: Final = (
    ("best", "best score"),
    ("baseline", "as it is"),
    ("held_out", "held out, judged once"),
    ("progress", "ideas closed"),
    ("epoch", "epoch"),
    ("states", "by state"),
    ("spent", "spent"),
    ("flight", "in flight"),
)


def research_parts(question: Question) -> Iterator[str]:
    """Return the parts of a research run's page."""
    run = question.research()
    standing = run.look()
    overview, config = standing.overview, standing.record.configuration
    cells = cells_of_research(run, standing, question.place.id, question.links)
    yield paragraph(
        f"research ({config.arm}) on ",
        named(config.environment),
        ", ",
        named(numbered_names(config.models), 300),
        f", seed {config.seed}: {counted(config.epochs, 'epoch')} of "
        f"{counted(config.ideas, 'idea')}; what counts is the ",
        "largest " if standing.goal == "max" else "smallest ",
        named(standing.metric),
        f"; begun {standing.record.started_utc[:16].replace('T', ' ')} UTC",
    )
    kind = KINDS.get(overview.state, "")
    yield Markup(f'<p class="state {kind}">{live("state", cells["state"])}</p>\n')
    yield facts((title, live(key, cells[key])) for key, title in FACTS)
    command = next_command(run.folder, overview)
    if command and overview.state != "finished":
        yield commands([command])
    if run.money.problem:
        yield note(run.money.problem)
    yield _plot(question, standing)
    if overview.state != "finished":
        told = paragraph("What jobs print is shown to people, and never believed.")
        log = Markup(f'<pre class="log">{live("now", cells["now"])}</pre>\n')
        yield section("Under way", told, log)
    yield from _ideas(question)
    marks = "".join(
        f'<li value="{mark.sequence}">{escaped(mark.text)}</li>\n'
        for mark in reversed(standing.latest)
    )
    yield section("Closed last", Markup(f'<ol id="marks" class="marks">\n{marks}</ol>\n'))


def _plot(question: Question, standing: ResearchStanding) -> Markup:
    run_id = question.place.id
    numbers = metrics(question, curves_of(question), ("val", "best"), COLUMNS)

    def address(*parts: str | int) -> str:
        return question.links.page("runs", run_id, "ideas", parts[-1])

    svg = scores_svg(numbers, address, unit="idea")
    data = question.links.page("api", "runs", run_id, "metrics")
    events = question.links.page("api", "runs", run_id, "events")
    is_over = "yes" if standing.overview.state == "finished" else "no"
    return Markup(
        f'<figure id="plots" data-metrics="{escaped(data)}" data-events="{escaped(events)}" '
        f'data-run="{escaped(run_page(question))}" data-over="{is_over}" data-unit="idea">\n'
        f'<div class="scroll" id="scores">{svg}</div>\n'
        "<figcaption>Score of each idea, which is one job; the stepped line is the best so far. "
        "Drag to zoom in; click twice to zoom out.</figcaption>\n</figure>\n"
    )


def _ideas(question: Question) -> Iterator[Markup]:
    ideas = listed_ideas(question, with_texts=True)
    order = question.text("order", ORDERS[0])
    choices = [
        choice(told, run_page(question, order=name), is_chosen=order == name)
        for name, told in zip(ORDERS, ("best first", "by number"), strict=True)
    ]
    rows = [_row(question, idea) for idea in ideas.ideas]
    first, last = ideas.first + 1, ideas.first + len(rows)
    many = counted(ideas.total, "closed idea")
    caption = many if len(rows) == ideas.total else f"{first} to {last} of {many}"
    parts = [
        paragraph(joined(each for pair in choices for each in (pair, " "))),
        table(HEADINGS, rows, caption=caption, numeric=(1, 3, 7, 8), words=(9,)),
        pager(question, "", {"order": order}, ideas.first, PAGE, ideas.total),
    ]
    yield section("Ideas", *parts)


def _row(question: Question, idea: IdeaRecord) -> Sequence[str]:
    what = f"idea{_KEPT_TOGETHER}{idea.number}" if idea.number else "as it is"
    of = f"idea{_KEPT_TOGETHER}{idea.parent}"
    parent = link(of, run_page(question, "ideas", idea.parent))
    return (
        link(what, run_page(question, "ideas", idea.number)),
        "-" if idea.score is None else f"{idea.score}",
        idea.state,
        f"{idea.epoch}",
        idea.kind,
        Markup("-") if not idea.number else parent if idea.parent else Markup("as it is"),
        named(idea.model or "-"),
        f"{idea.diffs}",
        f"{idea.cpu_s:g}",
        named(idea.title, 160),
    )
