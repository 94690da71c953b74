"""The plots of a run: scores with adoptions as arrows, code sizes, similarity over generations."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from hyperspace.reporting.curves import numbers_of, shared_range
from hyperspace.reporting.figures import (
    GENERATION,
    Arrow,
    Curve,
    Panel,
    Scale,
    draw_heat,
    draw_panels,
)
from hyperspace.runs.records import Generation, Run, RunAgent
from transfer_experiment.adoption.side_by_side import COUNTED
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.similarity.moves import nearness

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS: Final = 21  # generations of each agent in a similarity map


def scores_figure(run: Run, analysis: RunAnalysis) -> "Figure":
    """Draw validation scores, with an arrow for each adoption by either rule, and code sizes.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    scores = _panel(run, "Validation score", "validation score", lambda turn: turn.val)
    arrows = tuple(dict.fromkeys(_arrows(run, analysis)))
    scores = msgspec.structs.replace(scores, arrows=arrows, y_range=shared_range([run]))
    sizes = _panel(run, "Size of task_agent.py", "kB", _kilobytes)
    return draw_panels([scores, sizes], columns=1)


def _panel(run: Run, title: str, y: str, value: Callable[[Generation], float | None]) -> Panel:
    curves = [
        Curve(agent.name, numbers_of(agent), tuple(map(value, agent.generations)), series=at)
        for at, agent in enumerate(run.agents)
    ]
    return Panel(title=title, x=GENERATION, y=y, curves=tuple(curves))


def _kilobytes(turn: Generation) -> float | None:
    size = turn.task.size_bytes()
    return size and size / 1000


def similarity_figure(agent: RunAgent, other: RunAgent) -> "Figure | None":
    """Draw how similar the generations of two agents are; None if there is no code.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    rows, columns = _with_code(agent), _with_code(other)
    if not rows or not columns:
        return None
    texts = [turn.task.read() for turn in columns]
    values = [
        [
            None if mine is None or text is None else nearness(mine, text).similarity
            for text in texts
        ]
        for mine in (turn.task.read() for turn in rows)
    ]
    return draw_heat(
        values,
        title=f"Similarity of task agents: {agent.name} and {other.name}",
        x=Scale(f"{other.name}, generation{_thinned(other, columns)}", _names(columns)),
        y=Scale(f"{agent.name}, generation{_thinned(agent, rows)}", _names(rows)),
        value="similarity",
    )


def _arrows(run: Run, analysis: RunAnalysis) -> Iterator[Arrow]:
    for event in analysis.adoptions:
        counts = event.verdict in COUNTED or event.rule == "published"
        source = int(event.strategy.rpartition("_gen")[2]) if counts else -1
        came_from = run.agent(event.peer).turn(source)
        if came_from is not None and came_from.val is not None and event.score_after is not None:
            yield Arrow(source, came_from.val, event.generation, event.score_after)


def _with_code(agent: RunAgent) -> list[Generation]:
    """Generations whose text is known, evenly thinned to a number that can be compared.

    Of a table of scores the sizes of texts are known, and no text.
    """
    there = [turn for turn in agent.generations if turn.task.read() is not None]
    step = max(1, -(-len(there) // MOST_ROWS))
    return there[::step]


def _names(turns: Sequence[Generation]) -> tuple[str, ...]:
    return tuple(str(turn.generation) for turn in turns)


def _thinned(agent: RunAgent, shown: Sequence[Generation]) -> str:
    left_out = len(agent.generations) - len(shown)
    return f" ({len(shown)} of {len(agent.generations)} shown)" if left_out else ""
