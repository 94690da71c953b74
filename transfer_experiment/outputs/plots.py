"""The plots of a run: scores with adoptions as arrows, code sizes, similarity over generations."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from replication.report.figures import GENERATION, Arrow, Curve, Panel, draw_heat, draw_panels
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.measures.side_by_side import COUNTED
from transfer_experiment.reading.records import AgentRead, RunRead, TurnRead
from transfer_experiment.similarity import similarity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS: Final = 21  # generations of each agent in a similarity map


def scores_figure(run: RunRead, found: RunAnalysis) -> "Figure":
    """Draw validation scores, with an arrow for each adoption, and the sizes of the code.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    scores = Panel(
        title="Validation score; an arrow goes from what was adopted to who adopted it",
        x=GENERATION,
        y="validation score",
        curves=tuple(
            Curve(agent.name, _numbers(agent), tuple(turn.val for turn in agent.turns), series=at)
            for at, agent in enumerate(run.agents)
        ),
        arrows=tuple(_arrows(run, found)),
        y_range=(0.0, 1.04),
    )
    sizes = Panel(
        title="Size of task_agent.py",
        x=GENERATION,
        y="kB",
        curves=tuple(
            Curve(agent.name, _numbers(agent), tuple(map(_kilobytes, agent.turns)), series=at)
            for at, agent in enumerate(run.agents)
        ),
    )
    return draw_panels([scores, sizes], columns=1)


def similarity_figure(one: AgentRead, other: AgentRead) -> "Figure | None":
    """Draw how similar the generations of two agents are; None if there is no code.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    rows, columns = _with_code(one), _with_code(other)
    if not rows or not columns:
        return None
    texts = [turn.task_text or "" for turn in columns]
    values = [[similarity(turn.task_text or "", text) for text in texts] for turn in rows]
    return draw_heat(
        values,
        title=f"Similarity of task agents: {one.name} and {other.name}",
        x=f"{other.name}: {_span(columns)}",
        y=f"{one.name}: {_span(rows)}",
        value="similarity",
    )


def _arrows(run: RunRead, found: RunAnalysis) -> Iterator[Arrow]:
    names = [agent.name for agent in run.agents]
    for event in found.adoptions:
        counts = event.verdict in COUNTED or event.rule == "published"
        source = int(event.strategy.rpartition("_gen")[2]) if counts else -1
        came_from = run.agent(event.peer).turn(source)
        if came_from is not None and came_from.val is not None and event.score_after is not None:
            yield Arrow(
                source,
                came_from.val,
                event.generation,
                event.score_after,
                series=names.index(event.peer),
            )


def _numbers(agent: AgentRead) -> tuple[float, ...]:
    return tuple(float(turn.generation) for turn in agent.turns)


def _kilobytes(turn: TurnRead) -> float | None:
    size = turn.sizes.task_bytes
    return None if size is None else size / 1000


def _with_code(agent: AgentRead) -> list[TurnRead]:
    """Generations that have a text, evenly thinned to a number that can be compared."""
    there = [turn for turn in agent.turns if turn.task.size_bytes() is not None]
    step = max(1, -(-len(there) // MOST_ROWS))
    return there[::step]


def _span(turns: Sequence[TurnRead]) -> str:
    if len(turns) < 2:
        return f"generation {turns[0].generation}"
    step = turns[1].generation - turns[0].generation
    thinned = "" if step == 1 else f", one in {step}"
    return f"generations {turns[0].generation} to {turns[-1].generation}{thinned}"
