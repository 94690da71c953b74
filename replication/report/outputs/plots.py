"""The figures of a report and of curves, from the runs behind them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hyperspace.kernel.errors import RunUsageError
from hyperspace.reporting.curves import VAL, numbers_of, shared_range
from hyperspace.reporting.figures import (
    GENERATION,
    IDEA,
    Curve,
    Drawn,
    Estimate,
    Panel,
    draw_estimates,
    draw_panels,
    draw_tree,
)
from hyperspace.reporting.output import is_one_image
from hyperspace.runs.records import Run, RunAgent
from replication.report.build import Study
from replication.report.records import MEASURES, Arm, ArmCurve, ArmSummary, Measure
from replication.report.tree import best_run, knows_parents, layout

_MOST_TREES = 8
SCORE = "score"


class EstimatedArms(NamedTuple):
    """The arms of one experiment by one measure, for drawing.

    Attributes:
        measure: By what.
        caption: What is shown, in a sentence.
        estimates: One for each arm with a score.
    """

    measure: Measure
    caption: str
    estimates: tuple[Estimate, ...]


def figures_for(target: Path, study: Study) -> list[Drawn]:
    """Draw every figure for a folder, or the one that goes into a single image.

    Raises:
        RunUsageError: There are several experiments, and one image.
        FiguresUnavailable: matplotlib is not installed.
    """
    several = len(study.experiments) > 1
    figures = [
        drawn._replace(name=f"{number}-{drawn.name}") if several else drawn
        for number, (report, experiment) in enumerate(
            zip(study.report.experiments, study.experiments, strict=True)
        )
        for drawn in report_figures(experiment.arms, report.arms, report.curves)
    ]
    if is_one_image(target):
        figures = [drawn for drawn in figures if drawn.name.endswith("best-so-far")]
        if len(figures) != 1:
            raise RunUsageError(
                f"{len(figures)} experiments do not go into one image; name a folder, "
                "or one experiment"
            )
    return figures


def report_figures(
    arms: Sequence[Arm], summaries: Sequence[ArmSummary], curves: Sequence[ArmCurve] = ()
) -> Iterator[Drawn]:
    """Draw what a report of one experiment shows; what the source does not know is left out.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    for estimated in estimates_of(summaries):
        caption, name = estimated.caption, f"medians-{estimated.measure}"
        drawn = draw_estimates(estimated.estimates, title=caption, x=MEASURES[estimated.measure])
        yield Drawn(name, caption, drawn)
    shown = shared_range([run for arm in arms for run in arm.runs])
    told = "Best score so far over ideas, each a job" if curves else "Best validation score so far"
    yield Drawn(
        "best-so-far",
        f"{told}, one line a run.",
        draw_panels([_bests(arm, shown) for arm in arms]),
    )
    if curves:
        caption = "Median of the best score so far after the same number of jobs, where epochs end."
        yield Drawn("medians-over-ideas", caption, draw_panels([medians_over_ideas(curves)]))
    sizes = [panel for arm in arms if (panel := _sizes(arm)).curves]
    if sizes:
        yield Drawn("code-size", "Size of task_agent.py, one line a run.", draw_panels(sizes))
    yield from _trees(arms)


def estimates_of(summaries: Sequence[ArmSummary]) -> Iterator[EstimatedArms]:
    """Return the median of each arm with its interval, by validation and by test where known."""
    measures: tuple[Measure, ...] = ("val", "test")
    for measure in measures:
        estimates: list[Estimate] = []
        for summary in summaries:
            spread = summary.val if measure == "val" else summary.test
            scores = (row.val if measure == "val" else row.test for row in summary.results)
            values = tuple(value for value in scores if value is not None)
            if spread is not None:
                row = Estimate(summary.arm, spread.median, spread.low, spread.high, values)
                estimates.append(row)
        if estimates:
            told = MEASURES[measure]
            caption = f"Median {told} of each arm with its 95% interval; small dots are seeds."
            yield EstimatedArms(measure, caption, tuple(estimates))


def _bests(arm: Arm, shown: tuple[float, float]) -> Panel:
    curves = [
        Curve(_name(run, agent), numbers_of(agent), tuple(agent.best_so_far()), "steps", at)
        for at, (run, agent) in enumerate(_agents(arm))
    ]
    y = SCORE if arm.runs[0].unit == IDEA else VAL
    return Panel(title=arm.name, x=arm.runs[0].unit, y=y, curves=tuple(curves), y_range=shown)


def medians_over_ideas(curves: Sequence[ArmCurve]) -> Panel:
    """Return the medians of arms of research runs over jobs, to be drawn in one panel."""
    lines = [
        Curve(curve.arm, tuple(map(float, curve.ideas)), curve.best, "line", at)
        for at, curve in enumerate(curves)
    ]
    return Panel(title="median of seeds", x=IDEA, y=SCORE, curves=tuple(lines))


def _sizes(arm: Arm) -> Panel:
    curves: list[Curve] = []
    for run, agent in _agents(arm):
        sizes = tuple(row.code_bytes for row in agent.generations)
        if any(size is not None for size in sizes):
            series = len(curves)
            curves.append(Curve(_name(run, agent), numbers_of(agent), sizes, series=series))
    return Panel(title=arm.name, x=GENERATION, y="bytes", curves=tuple(curves))


def _trees(arms: Sequence[Arm]) -> Iterator[Drawn]:
    for number, arm in enumerate(arms[:_MOST_TREES]):
        run = best_run(arm)
        for at, agent in enumerate(run.agents):
            if knows_parents(agent):
                who = f", {agent.name}" if len(run.agents) > 1 else ""
                caption = (
                    f"Archive of {arm.name} seed {run.seed}{who}: each generation is joined to the "
                    "one that it started from; hollow ones failed, the large one is the best."
                )
                title = f"{arm.name} seed {run.seed}{who}"
                drawn = draw_tree(layout(agent), title=title, x=GENERATION, value=VAL)
                yield Drawn(f"archive-{number}-{at}", caption, drawn)


def _agents(arm: Arm) -> Iterator[tuple[Run, RunAgent]]:
    return ((run, agent) for run in arm.runs for agent in run.agents)


def _name(run: Run, agent: RunAgent) -> str:
    return f"seed {run.seed} {agent.name}" if len(run.agents) > 1 else f"seed {run.seed}"
