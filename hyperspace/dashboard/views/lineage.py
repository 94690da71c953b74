"""Lineage: the archives of agents as a tree, with adoptions across."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.pages.addresses import (
    event_id,
    generation_page,
    run_page,
    strategy_source,
)
from hyperspace.dashboard.pages.code import colour_of
from hyperspace.dashboard.pages.facts import separated
from hyperspace.dashboard.pages.parts import choice, link
from hyperspace.dashboard.pages.tree import (
    TreeArrow,
    TreeLook,
    TreeNode,
    marks_legend,
    step_for,
    tree_svg,
)
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import adoptions_for_lineage, archives
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.reporting.lines import counted, score
from hyperspace.reporting.page import (
    Markup,
    escaped,
    figure,
    folded,
    joined,
    note,
    paragraph,
    section,
    table,
)
from hyperspace.runs.archives import AgentArchive, ArchiveRow

WINDOW: Final = 60  # generations in one picture
MOST_AGENTS: Final = 20
MOST_ON_THE_WAY: Final = 24


def render(question: Question) -> PageContent:
    """Show the archives of a run, or of one of its agents."""
    every = archives(question)
    chosen = _chosen(question, every)
    newest = max((each.rows[-1].generation for each in chosen if each.rows), default=0)
    # Around a generation that is asked for, else the newest ones.
    around = min(question.whole("around", newest), newest)
    first = max(0, min(around - WINDOW // 2, newest - WINDOW + 1))
    last = min(newest, first + WINDOW - 1)
    parts = [
        _agents(question, every),
        *(note(problem) for archive in chosen for problem in archive.notes),
        _picture(question, every, chosen, first, last),
        _moves(question, first, last, newest),
        *_ways(question, every, chosen),
        _table(question, chosen, first, last),
    ]
    count = sum(len(archive.rows) for archive in chosen)
    agents = counted(len(chosen), "agent")
    shown = f"shown are generations {first:,} to {last:,}"
    lead = f"{counted(count, 'generation')} of {agents}; {shown}."
    return glued("Lineage", tuple(parts), lead=lead, wide=True)


def _chosen(question: Question, every: Sequence[AgentArchive]) -> Sequence[AgentArchive]:
    name = question.text("agent", most=300)
    if not name:
        return every[:MOST_AGENTS]
    chosen = [archive for archive in every if archive.agent == name]
    if not chosen:
        names = ", ".join(archive.agent for archive in every)[:2000]
        raise NotThere(f"this run has no agent {name[:80]!r}; it has {names}")
    return chosen


def _agents(question: Question, every: Sequence[AgentArchive]) -> Markup:
    if len(every) < 2:
        return Markup("")
    chosen, address = question.text("agent", most=300), run_page(question, "lineage")
    links = [choice("all agents", address, is_chosen=not chosen)]
    for archive in every:
        address = run_page(question, "lineage", agent=archive.agent)
        links.append(choice(archive.agent, address, is_chosen=archive.agent == chosen))
    return paragraph(separated(links))


def _picture(
    question: Question,
    every: Sequence[AgentArchive],
    chosen: Sequence[AgentArchive],
    first: int,
    last: int,
) -> Markup:
    names = [archive.agent for archive in every]
    scores = [
        row.val
        for archive in chosen
        for row in archive.rows
        if first <= row.generation <= last and row.valid and row.val is not None
    ]
    look = TreeLook(
        colours={name: colour_of(names, name) for name in names},
        addresses={
            TreeNode(archive.agent, row.generation): generation_page(
                question, archive.agent, row.generation
            )
            for archive in chosen
            for row in archive.rows
            if first <= row.generation <= last
        },
        low=min(scores, default=0.0),
        high=max(scores, default=1.0),
        step=step_for(last - first + 1),
    )
    svg = tree_svg(chosen, first, last, _arrows(question, first, last), look)
    scale = f" Validation scores here are from {look.low:.3f} to {look.high:.3f}." if scores else ""
    if scores and look.low == look.high:
        scale = f" All validation scores here are {look.low:.3f}."
    return figure(svg, f"{marks_legend()}{scale}")


def _arrows(question: Question, first: int, last: int) -> Iterator[TreeArrow]:
    """Yield what was adopted or inspired by the causal rule where the taker is shown."""
    run = None
    for event in adoptions_for_lineage(question):
        if not first <= event.generation <= last:
            continue
        run = run or question.run()
        agent = run.agent(event.agent)
        source = strategy_source(agent, event.generation, event.strategy.rpartition("/")[2])
        if source is None:
            continue
        name = event_id(run, event)
        told = (
            f"{event.agent} generation {event.generation} from {source[0]} generation {source[1]}: "
            f"{event.verdict}, ratio {event.ratio:.3f}, validation {score(event.score_before)} to "
            f"{score(event.score_after)}"
        )
        address = f"{run_page(question, 'adoptions')}#{name}"
        target, inspired = TreeNode(event.agent, event.generation), event.verdict == "inspired"
        yield TreeArrow(TreeNode(*source), target, told, address, inspired)


def _moves(question: Question, first: int, last: int, newest: int) -> Markup:
    """Links to the generations before and after those shown."""
    agent = question.text("agent", most=300)
    query = {"agent": agent} if agent else {}
    half = WINDOW // 2
    links: list[Markup] = []
    if first:
        links.append(
            link("← earlier", run_page(question, "lineage", **query, around=max(0, first - half)))
        )
        links.append(link("the beginning", run_page(question, "lineage", **query, around=0)))
    if last < newest:
        links.append(link("later →", run_page(question, "lineage", **query, around=last + half)))
        links.append(link("the newest", run_page(question, "lineage", **query)))
    return paragraph(separated(links)) if links else Markup("")


class _Step(NamedTuple):
    """One generation on the way to an agent's best; a fork's way begins with another agent."""

    agent: str
    row: ArchiveRow


def _ways(
    question: Question, every: Sequence[AgentArchive], chosen: Sequence[AgentArchive]
) -> Iterator[Markup]:
    """The ancestors of each agent's best generation, from the seed on."""
    rows: list[tuple[str, Markup]] = []
    for archive in chosen:
        way = _ancestors(archive, every)
        if way:
            steps = separated(_way(question, archive, way), " → ")
            told = joined((steps, f" ({counted(len(way) - 1, 'step')})"))
            rows.append((archive.agent or "agent", Markup(f'<span class="way">{told}</span>')))
    if rows:
        shown = table(("agent", "generations"), rows, caption="Each with its validation score")
        yield section("The way to the best", shown)


def _ancestors(archive: AgentArchive, every: Sequence[AgentArchive]) -> list[_Step]:
    """An agent's best generation and those that it comes from, the first of them first."""
    best = next((row.generation for row in archive.rows if row.is_best), None)
    way = _line_of(archive, best)
    for _ in every:  # an agent was forked from one that was there before it
        fork = archive.forked
        source = next((each for each in every if fork and each.agent == fork.source), None)
        if fork is None or source is None or not way or way[-1].row.generation:
            break
        archive = source
        way += _line_of(source, fork.generation)
    return way[::-1]


def _line_of(archive: AgentArchive, generation: int | None) -> list[_Step]:
    """A generation of an agent and those of this agent that it comes from, the last one first."""
    by_number = {row.generation: row for row in archive.rows}
    row = None if generation is None else by_number.get(generation)
    line: list[_Step] = []
    while row is not None and (not line or row.generation < line[-1].row.generation):
        line.append(_Step(archive.agent, row))
        row = None if row.parent is None else by_number.get(row.parent)
    return line


def _way(question: Question, archive: AgentArchive, way: Sequence[_Step]) -> list[str]:
    left_out = len(way) - MOST_ON_THE_WAY
    half = len(way) if left_out <= 0 else MOST_ON_THE_WAY // 2
    shown = [_link(question, archive, step) for step in way[:half]]
    if left_out > 0:
        shown += [escaped(f"… {left_out:,} more …")]
        shown += [_link(question, archive, step) for step in way[half + left_out :]]
    return [*shown]


def _link(question: Question, archive: AgentArchive, step: _Step) -> Markup:
    whose = "" if step.agent == archive.agent else f"{step.agent} "
    told = f"{whose}{step.row.generation} ({score(step.row.val)})"
    return link(told, generation_page(question, step.agent, step.row.generation))


def _table(question: Question, chosen: Sequence[AgentArchive], first: int, last: int) -> Markup:
    rows = [
        (
            link(
                f"{archive.agent} {row.generation}".strip(),
                generation_page(question, archive.agent, row.generation),
            ),
            "-" if row.parent is None else str(row.parent),
            "valid" if row.valid else "not valid",
            score(row.train),
            score(row.val),
            "best" if row.is_best else "",
        )
        for archive in chosen
        for row in archive.rows
        if first <= row.generation <= last
    ]
    headings = ("generation", "parent", "state", "train", "val", "")
    caption = f"Generations {first} to {last}"
    return folded("As a table", table(headings, rows, caption=caption, numeric=(1, 3, 4)))


VIEW = View("lineage", "/runs/{run}/lineage", render, label="Lineage")
