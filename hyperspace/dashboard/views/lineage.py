"""Lineage: the archives of agents as a tree, with adoptions across."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.links import PageLink
from hyperspace.dashboard.pages.addresses import (
    event_id,
    generation_page,
    run_page,
    strategy_source,
)
from hyperspace.dashboard.pages.code import colour_of
from hyperspace.dashboard.pages.tree import TreeArrow, TreeLook, TreeNode, step_for, tree_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import adoptions_for_lineage, archives
from hyperspace.dashboard.view import PageContent, View
from hyperspace.reporting.lines import score
from hyperspace.runs.archives import AgentArchive, ArchiveRow

WINDOW: Final = 60  # generations in one picture
MOST_AGENTS: Final = 20
MOST_ON_THE_WAY: Final = 24


class WayToBest(NamedTuple):
    """The ancestors of an agent's best generation.

    Attributes:
        agent: Whose.
        steps: How many steps lead from the first of them to it.
        shown: Each as a text with an address; a text without one stands for those left out.
    """

    agent: str
    steps: int
    shown: list[tuple[str, str]]


def render(question: Question) -> PageContent:
    """Show the archives of a run, or of one of its agents."""
    every = archives(question)
    agent = question.text("agent", most=300)
    chosen = _chosen(agent, every)
    newest = max((each.rows[-1].generation for each in chosen if each.rows), default=0)
    # Around a generation that is asked for, else the newest ones.
    around = min(question.whole("around", newest), newest)
    first = max(0, min(around - WINDOW // 2, newest - WINDOW + 1))
    last = min(newest, first + WINDOW - 1)
    look = _look(question, every, chosen, first, last)
    scale = f" Validation scores here are from {look.low:.3f} to {look.high:.3f}."
    if look.low == look.high:
        scale = f" All validation scores here are {look.low:.3f}."
    values: dict[str, Any] = {
        "agent": agent,
        "agents": [archive.agent for archive in every],
        "chosen": chosen,
        "count": sum(len(archive.rows) for archive in chosen),
        "first": first,
        "last": last,
        "tree": tree_svg(chosen, first, last, _arrows(question, first, last), look),
        "scale": scale if look.has_scores else "",
        "moves": [*_moves(question, agent, first, last, newest)],
        "ways": [*_ways(question, every, chosen)],
    }
    return PageContent("Lineage", "lineage.html", values)


def _chosen(agent: str, every: Sequence[AgentArchive]) -> Sequence[AgentArchive]:
    if not agent:
        return every[:MOST_AGENTS]
    chosen = [archive for archive in every if archive.agent == agent]
    if not chosen:
        names = ", ".join(archive.agent for archive in every)[:2000]
        raise NotThere(f"this run has no agent {agent[:80]!r}; it has {names}")
    return chosen


def _look(
    question: Question,
    every: Sequence[AgentArchive],
    chosen: Sequence[AgentArchive],
    first: int,
    last: int,
) -> TreeLook:
    names = [archive.agent for archive in every]
    shown = [
        (archive.agent, row)
        for archive in chosen
        for row in archive.rows
        if first <= row.generation <= last
    ]
    scores = [row.val for _, row in shown if row.valid and row.val is not None]
    return TreeLook(
        colours={name: colour_of(names, name) for name in names},
        addresses={
            TreeNode(agent, row.generation): generation_page(question, agent, row.generation)
            for agent, row in shown
        },
        low=min(scores, default=0.0),
        high=max(scores, default=1.0),
        has_scores=bool(scores),
        step=step_for(last - first + 1),
    )


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


def _moves(
    question: Question, agent: str, first: int, last: int, newest: int
) -> Iterator[PageLink]:
    """Yield links to the generations before and after those shown."""
    query = {"agent": agent} if agent else {}
    half = WINDOW // 2
    if first:
        earlier = run_page(question, "lineage", **query, around=max(0, first - half))
        yield PageLink("← earlier", earlier)
        yield PageLink("the beginning", run_page(question, "lineage", **query, around=0))
    if last < newest:
        later = run_page(question, "lineage", **query, around=last + half)
        yield PageLink("later →", later)
        yield PageLink("the newest", run_page(question, "lineage", **query))


class _Step(NamedTuple):
    """One generation on the way to an agent's best; a fork's way begins with another agent."""

    agent: str
    row: ArchiveRow


def _ways(
    question: Question, every: Sequence[AgentArchive], chosen: Sequence[AgentArchive]
) -> Iterator[WayToBest]:
    for archive in chosen:
        way = _ancestors(archive, every)
        if not way:
            continue
        shown = [
            (
                f"{'' if agent == archive.agent else f'{agent} '}{row.generation} "
                f"({score(row.val)})",
                generation_page(question, agent, row.generation),
            )
            for agent, row in way
        ]
        left_out = len(way) - MOST_ON_THE_WAY
        if left_out > 0:
            half = MOST_ON_THE_WAY // 2
            shown[half : half + left_out] = [(f"… {left_out:,} more …", "")]
        yield WayToBest(archive.agent, len(way) - 1, shown)


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


VIEW = View("lineage", "/runs/{run}/lineage", render, label="Lineage")
