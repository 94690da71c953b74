"""Arms and seeds compared: the report's words, tables and figures, and curves over spending."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from hyperspace.dashboard.links import PageLink
from hyperspace.dashboard.pages.plots_svg import PlotBand, estimates_svg, panel_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.comparison import (
    budget_asked,
    compared,
    folders_of_runs,
    selected_runs,
)
from hyperspace.dashboard.view import PageContent, View
from hyperspace.reporting.curves import VAL
from hyperspace.reporting.figures import COLOURS, Curve, Panel
from hyperspace.reporting.lines import counted, score
from replication.report.budget_curves import BUDGETS, Budget, BudgetCurve, budget_curves
from replication.report.grouping import Experiment
from replication.report.outputs.cells import Table, tables_of
from replication.report.outputs.configurations import Configurations, configurations_of
from replication.report.outputs.explained import TERMS
from replication.report.outputs.html import Verdict, verdict_of
from replication.report.outputs.plots import estimates_of
from replication.report.records import MEASURES, Arm, ExperimentReport

MOST_ROWS: Final = 2_000


class SpentCurves(NamedTuple):
    """Scores over what was spent.

    Attributes:
        plots: As SVG, some curves in each.
        numbers: Of the curves; copies as CSV.
        unknown: Arms of which nothing is known.
        problem: Why there is no plot.
    """

    plots: list[str]
    numbers: Table
    unknown: list[str]
    problem: str


class ShownExperiment(NamedTuple):
    """The arms of one experiment.

    Attributes:
        report: What the report says of them.
        verdict: The first of that.
        against: Links that compare all arms with one of them only: fewer comparisons need fewer
            seeds.
        estimates: Medians with their intervals as SVG, each with its caption.
        curves: Scores over what was spent.
        tables: Of the report.
        configurations: What was asked of the arms.
        arms: Them, with their runs.
    """

    report: ExperimentReport
    verdict: Verdict
    against: list[PageLink]
    estimates: list[tuple[str, str]]
    curves: SpentCurves
    tables: list[Table]
    configurations: Configurations
    arms: Sequence[Arm]


def render(question: Question) -> PageContent:
    """Show the runs that were chosen, or the folders to choose from."""
    selected = selected_runs(question)
    if not selected.places:
        folders = folders_of_runs(question.sources.tree.places())
        return PageContent("Compare", "compare_folders.html", {"folders": folders})
    over = budget_asked(question)
    runs = compared(question, selected)
    pairs = zip(runs.study.report.experiments, runs.study.experiments, strict=True)
    values: dict[str, Any] = {
        "count": len(selected.places),
        "notes": runs.notes,
        "experiments": [_experiment(question, *pair, over) for pair in pairs],
        "axes": [*_choices(question, "over", {**BUDGETS}, over)],
        "budget": BUDGETS[over],
        "places": runs.places,
        "terms": TERMS,
    }
    return PageContent("Compare", "compare.html", values)


def _experiment(
    question: Question, report: ExperimentReport, experiment: Experiment, over: Budget
) -> ShownExperiment:
    names = {"": "each other"} | {arm.arm: arm.arm for arm in report.arms}
    against = _choices(question, "against", names, question.text("against", most=4_000))
    return ShownExperiment(
        report,
        verdict_of(report),
        [*against] if len(report.arms) > 2 else [],
        [
            (estimates_svg(each.estimates, MEASURES[each.measure]), each.caption)
            for each in estimates_of(report.arms)
        ],
        _spent(budget_curves(experiment.arms, over), over),
        [*tables_of(report)],
        configurations_of(experiment.arms),
        experiment.arms,
    )


def _choices(
    question: Question, name: str, labels: Mapping[str, str], chosen: str
) -> Iterator[PageLink]:
    """Yield links to this page that differ in one value behind the question mark."""
    names = ("runs", "below", "against", "over")
    query = {each: question.query.get(each, "") for each in names}
    for value, label in labels.items():
        changed = {each: text for each, text in (query | {name: value}).items() if text}
        address = question.links.page("compare", **changed)
        yield PageLink(label, address, value == chosen)


def _spent(curves: Sequence[BudgetCurve], over: Budget) -> SpentCurves:
    drawn = [curve for curve in curves if curve.spent]
    problem = ""
    if not drawn:
        problem = f"It is not known of these runs how many {BUDGETS[over]} they took."
    elif not any(curve.spent[-1] for curve in drawn):
        problem = f"None of these runs took any {BUDGETS[over]}."
    parts = range(0, 0 if problem else len(drawn), len(COLOURS))
    return SpentCurves(
        [panel_svg(*_panel(drawn[at : at + len(COLOURS)], over)) for at in parts],
        _numbers(drawn, over),
        [curve.arm for curve in curves if not curve.spent],
        problem,
    )


def _numbers(curves: Sequence[BudgetCurve], over: Budget) -> Table:
    rows = [
        (curve.arm, f"{spent:g}", *(score(value) for value in values))
        for curve in curves
        for spent, *values in zip(curve.spent, curve.median, curve.low, curve.high, strict=True)
    ]
    shown = f"the first {MOST_ROWS} of {len(rows)}" if len(rows) > MOST_ROWS else "all of them"
    caption = f"Best validation score so far over {BUDGETS[over]}: {shown}"
    headings = ("arm", BUDGETS[over], "median", "lowest", "highest")
    return Table(caption, headings, rows[:MOST_ROWS])


def _panel(curves: Sequence[BudgetCurve], over: Budget) -> tuple[Panel, list[PlotBand]]:
    lines: list[Curve] = []
    bands: list[PlotBand] = []
    for at, curve in enumerate(curves):
        control = ", control" if curve.control else ""
        label = f"{curve.arm} ({counted(len(curve.seeds), 'seed')}{control})"
        lines.append(Curve(label, curve.spent, curve.median, "steps", at))
        if len(curve.seeds) > 1:
            bands.append(PlotBand(curve.spent, curve.low, curve.high, at))
    return Panel(title="", x=BUDGETS[over], y=VAL, curves=tuple(lines)), bands


VIEW = View("compare", "/compare", render, in_bundle=False)
