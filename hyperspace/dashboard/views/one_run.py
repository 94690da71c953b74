"""One run: scores with adoptions as arrows, its agents, what happens now, what it spends."""

from collections.abc import Iterator

from hyperspace.dashboard.pages.facts import facts
from hyperspace.dashboard.pages.forms import post_form
from hyperspace.dashboard.pages.parts import commands, named, numbered_names
from hyperspace.dashboard.pages.run_cells import (
    KINDS,
    Cell,
    agent_cells,
    cells_of,
    live,
    next_command,
)
from hyperspace.dashboard.pages.run_svg import SERIES, scores_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.curves import COLUMNS, RunCurves, curves_of, metrics
from hyperspace.dashboard.results.followed import FollowedRun, Present
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.dashboard.views.research.research_run import research_parts
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.reporting.page import (
    Markup,
    escaped,
    folded,
    joined,
    note,
    paragraph,
    preformatted,
    section,
    table,
)
from hyperspace.runs.files import TextFile
from hyperspace.runs.following.overview import is_ours

STRIPS = (
    ("size", "code, bytes"),
    ("cost", "US dollars"),
    ("tokens", "tokens"),
    ("refused", "refused"),
)
MOST_MODELS = 300  # characters; each agent's own stands in the table, too
SCRIPTS = ("uPlot.iife.min.js", "plots.js", "live.js")
HEADINGS = ("agent", "model", "generations", "val", "best val", "in gen", "test")
OURS = ("adopted", "refused", "calls", "tokens", "money")


def render(question: Question) -> PageContent:
    """Show a run."""
    if question.is_research():
        parts = (*research_parts(question), *_way_out(question))
        return glued(
            question.place.name, parts, _scripts(question), wide=True, styles=("uPlot.min.css",)
        )
    curves = curves_of(question)
    parts = (
        _published(question, curves) if curves.run is None else _ours(question, curves, curves.run)
    )
    shown = (*parts, *_way_out(question))
    return glued(
        question.place.name, shown, _scripts(question), wide=True, styles=("uPlot.min.css",)
    )


def awaiting(question: Question, shown: PageContent) -> PageContent:
    """Return a page that says why a run cannot be read, and opens itself again when it can."""
    events = question.links.page("api", "runs", question.path["run"], "events")
    return shown._replace(values={**shown.values, "events": events})


def _scripts(question: Question) -> tuple[str, ...]:
    return (*SCRIPTS, "actions.js") if question.can_steer else SCRIPTS


def _way_out(question: Question) -> Iterator[Markup]:
    if question.can_steer:
        address = question.links.page("api", "runs", question.place.id, "trash")
        told = "The folder of this run moves to the trash folder, and can be brought back."
        form = post_form(address, (), "Move to the trash folder", {}, about=question.place.name)
        yield folded("Put this run away", paragraph(told), form)


def _ours(question: Question, curves: RunCurves, run: FollowedRun) -> Iterator[str]:
    present = run.look()
    config = present.config
    cells = cells_of(run, present, question.place.id, question.links)
    yield paragraph(
        f"{config.kind} on ",
        named(config.domain),
        ", ",
        named(numbered_names(config.models), MOST_MODELS),
        f", seed {config.seed}, begun {present.started_utc[:16].replace('T', ' ')} UTC",
    )
    kind = KINDS.get(present.overview.state, "")
    yield Markup(f'<p class="state {kind}">{live("state", cells["state"])}</p>\n')
    is_over = present.overview.state == "finished"
    yield _now(cells, is_over=is_over)
    command = next_command(run.folder.root, present.overview)
    if command and not is_over:
        yield commands([command])
    yield from map(note, present.notes)
    yield from _plots(question, curves, present)
    keys = ("closed", "val", "best", "at", "test", "adopted", "refused", "calls", "tokens", "usd")
    rows = [
        (
            _agent(at, name),
            named(config.models[at]),
            *(live(f"a{at}-{key}", cells[f"a{at}-{key}"]) for key in keys),
        )
        for at, name in enumerate(config.agents)
    ]
    headings = (*HEADINGS, *OURS)
    yield table(headings, rows, caption="Agents", numeric=range(2, len(headings)))
    if command and is_over:
        yield commands([command])
    marks = "".join(
        f'<li value="{mark.sequence}">{escaped(mark.text)}</li>\n'
        for mark in reversed(present.marks)
    )
    if task := TextFile(run.folder.task).read():
        yield folded("What the agents are asked", preformatted(task))
    yield section("Latest marks", Markup(f'<ol id="marks" class="marks">\n{marks}</ol>\n'))


def _now(cells: dict[str, Cell], *, is_over: bool) -> Markup:
    """Return how the run stands; of one that is over not what it does now."""
    named_cells = (
        ("best", "best validation score"),
        ("progress", "generations"),
        ("left", "until the end"),
        ("spent", "spent"),
        ("flight", "in flight"),
        ("needs", "questions to you"),
        ("adoptions", "adoptions"),
        ("refused", "refused"),
    )
    shown = (pair for pair in named_cells if not (is_over and pair[0] in ("left", "flight")))
    return facts((title, live(key, cells[key])) for key, title in shown)


def _published(question: Question, curves: RunCurves) -> Iterator[str]:
    run = question.run()
    yield from (note(f"{told[:1].upper()}{told[1:]}") for told in run.notes)
    # Of a run of ours that cannot be read, or is not there yet, there may be more later.
    may_come = not run.agents or is_ours(RunFolder(question.place.folder))
    yield from _plots(question, curves, None, may_come=may_come)
    rows: list[tuple[str, ...]] = []
    for at, agent in enumerate(run.agents):
        cells = agent_cells(
            agent.name, curves.columns[agent.name], agent.planned, question.place.id, question.links
        )
        texts = (live(f"a{at}-{key}", cell) for key, cell in cells.items())
        rows.append((_agent(at, agent.name), named(agent.model or "-"), *texts))
    yield table(HEADINGS, rows, caption="Agents", numeric=range(2, len(HEADINGS)))


def _agent(at: int, name: str) -> Markup:
    """Return an agent's name beside its colour."""
    swatch = f'<span class="key series-{at % SERIES}" aria-hidden="true"></span>'
    return Markup(f'<span class="agent">{swatch}{named(name or "(unnamed)")}</span>')


def _plots(
    question: Question, curves: RunCurves, present: Present | None, *, may_come: bool = True
) -> Iterator[Markup]:
    """The figure of scores, and strips below it that scripts fill."""
    run_id = question.place.id
    columns = max(COLUMNS // 10, COLUMNS // 2 // max(1, len(curves.columns) // 2))
    numbers = metrics(question, curves, ("val", "best"), columns)
    svg = scores_svg(numbers, lambda *parts: question.links.page("runs", run_id, *parts))
    data = question.links.page("api", "runs", run_id, "metrics")
    events = question.links.page("api", "runs", run_id, "events") if may_come else ""
    pages = question.links.page("runs", run_id)
    is_over = present is not None and present.overview.state == "finished"
    legend = joined(_agent(at, name) for at, name in enumerate(curves.columns))
    strips = "".join(
        f'<div class="strip" data-series="{name}" data-label="{label}"></div>\n'
        for name, label in (STRIPS if present is not None else STRIPS[:1])
    )
    yield Markup(
        f'<figure id="plots" data-metrics="{escaped(data)}" data-run="{escaped(pages)}" '
        f'data-events="{escaped(events)}" data-over="{"yes" if is_over else "no"}">\n'
        f'<p class="curves">{legend}</p>\n'
        f'<div class="scroll" id="scores">{svg}</div>\n{strips}'
        "<figcaption>Validation score over generations; the stepped line is the best so far. An "
        "arrow goes from an adopted strategy to the generation that adopted it. Drag to zoom in; "
        "click twice to zoom out."
        "</figcaption>\n</figure>\n"
    )


VIEW = View("run", "/runs/{run}", render, label="Run", of="any")
