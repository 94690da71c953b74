"""The numbers that a run's curves are drawn from, no more of them than a screen can show."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.arrows import LEARN_S, AdoptionArrow
from hyperspace.dashboard.results.followed import FollowedRun
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.runs.following.columns import Grid, code_sizes, grid, thinned
from hyperspace.runs.following.overview import is_ours
from hyperspace.runs.following.scores import ScoreColumns, columns_of
from markspace.errors import StoreError

SERIES: Final = ("val", "best", "train", "size", "cost", "tokens", "refused")
IDEAS: Final = "ideas"  # what the one curve of a research run is called
MOST_COLUMNS: Final = 2_000
COLUMNS: Final = 600


class AgentMetrics(msgspec.Struct, frozen=True):
    """The numbers of one agent.

    Attributes:
        name: Its name.
        last: Its newest generation; -1 before the first. Of ideas, which close in any order, how
            many beside the first.
        series: By name, a number for each place of `xs`; None where there is none.
    """

    name: str
    last: int
    series: dict[str, list[float | None]]


class Metrics(msgspec.Struct, frozen=True):
    """Curves of a run over generations.

    Attributes:
        first: First generation shown.
        last: Last one shown.
        is_exact: Whether each place of `xs` is a generation. Where not, each column of pixels has
            two: of `val`, `train` and `size` its lowest and its highest number, of `best` its last
            one, of the others the sum.
        xs: Places along the axis.
        agents: In turn order.
        arrows: Adoptions known by now.
        all_arrows: Whether these are all.
        sequence: The last mark that is in here; 0 where there are none.
    """

    first: int
    last: int
    is_exact: bool
    xs: list[float]
    agents: tuple[AgentMetrics, ...]
    arrows: tuple[AdoptionArrow, ...]
    all_arrows: bool
    sequence: int


class RunCurves(NamedTuple):
    """Where the numbers come from.

    Attributes:
        columns: Scores by agent.
        sequence: The last mark that is in there.
        run: The run, where it is one of ours; else there is no more than scores.
        closed: Ideas of a research run that are closed, in whatever order; None of other runs.
    """

    columns: dict[str, ScoreColumns]
    sequence: int = 0
    run: FollowedRun | None = None
    closed: int | None = None


def curves_of(question: Question) -> RunCurves:
    """Read the curves of the run of the address; of a damaged one of ours, what its files tell.

    Raises:
        NotThere: It is not there.
        RunUsageError: Another version wrote it.
        RunDamaged: It holds a link.
    """
    place = question.place
    if question.is_research():
        standing = question.research().look()
        columns = {IDEAS: columns_of(standing.run.agents[0])}
        return RunCurves(columns, standing.sequence, closed=len(standing.ideas))
    if is_ours(RunFolder(place.folder)):
        run = question.followed()
        with suppress(RunUsageError, RunDamaged, StoreError):
            present = run.look()
            run.learn_arrows(LEARN_S)
            return RunCurves(present.columns, present.sequence, run)
    return RunCurves({agent.name: columns_of(agent) for agent in question.run().agents})


def metrics(question: Question, curves: RunCurves, wanted: Sequence[str], columns: int) -> Metrics:
    """Return the numbers of some series, between the generations that were asked for.

    Args:
        question: What was asked.
        curves: Of the run.
        wanted: Names of series.
        columns: How many columns of pixels there are.
    """
    end = max((len(each) for each in curves.columns.values()), default=0) - 1
    first = question.whole("from", 0)
    on = grid(min(first, max(end, 0)), min(question.whole("to", max(end, 0)), end), columns)
    agents = tuple(
        AgentMetrics(
            name,
            len(each) - 1 if curves.closed is None else curves.closed - 1,
            {series: _numbers(question, curves, name, series, on) for series in wanted},
        )
        for name, each in curves.columns.items()
    )
    arrows = None if curves.run is None else curves.run.arrows
    return Metrics(
        first=on.first,
        last=on.last,
        is_exact=on.is_exact,
        xs=on.xs,
        agents=agents,
        arrows=() if arrows is None else tuple(arrows.known),
        all_arrows=arrows is None or arrows.is_complete,
        sequence=curves.sequence,
    )


def _numbers(
    question: Question, curves: RunCurves, agent: str, series: str, on: Grid
) -> list[float | None]:
    scores = curves.columns[agent]
    if series in ("val", "train"):
        return thinned(scores.val if series == "val" else scores.train, on, "ends")
    if series == "best":
        return thinned(scores.best, on, "last")
    if series == "size" and curves.closed is None:
        return code_sizes(question.place.folder / agent, on)
    if curves.run is None:
        return [None] * len(on.xs)
    if series == "refused":
        sums = curves.run.refusals.counts
    else:
        money = curves.run.all_money()
        sums = money.costs if series == "cost" else money.tokens
    by_generation = sums[agent].values if agent in sums else ()
    return thinned(by_generation, on, "sum")
