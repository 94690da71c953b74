"""Arms and seeds compared: the report's words, tables and figures, and curves over spending."""

from collections.abc import Iterator, Sequence
from typing import Final

from hyperspace.dashboard.pages.parts import beside, choice, run_link
from hyperspace.dashboard.pages.plots_svg import PlotBand, estimates_svg, panel_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.comparison import (
    ComparedRuns,
    budget_asked,
    compared,
    folders_of_runs,
    selected_runs,
)
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.reporting import page
from hyperspace.reporting.curves import VAL
from hyperspace.reporting.figures import COLOURS, Curve, Panel
from hyperspace.reporting.lines import counted, score
from replication.report.budget_curves import BUDGETS, Budget, BudgetCurve, budget_curves
from replication.report.grouping import Experiment
from replication.report.outputs.configurations import configurations_of
from replication.report.outputs.explained import TERMS
from replication.report.outputs.page_parts import (
    budget_part,
    missing_part,
    table_part,
    table_parts,
    verdict_part,
)
from replication.report.outputs.plots import estimates_of
from replication.report.records import MEASURES, ExperimentReport

MOST_FOLDERS: Final = 300
MOST_ROWS: Final = 2_000
SCRIPTS: Final = ("tables.js",)
CURVES: Final = (
    "Best {score} so far of the best agent over {budget}. Lines are medians over seeds; a band "
    "reaches from the lowest seed to the highest. A curve ends where the seed that took least ends."
)


def render(question: Question) -> PageContent:
    """Show the runs that were chosen, or the folders to choose from."""
    selected = selected_runs(question)
    if not selected.places:
        return glued("Compare", (_folders(question),), SCRIPTS, lead=_LEAD_FOLDERS)
    over = budget_asked(question)
    runs = compared(question, selected)
    parts: list[str] = [page.note(sentence) for sentence in runs.notes]
    pairs = zip(runs.study.report.experiments, runs.study.experiments, strict=True)
    for report, experiment in pairs:
        parts += _experiment(question, report, experiment, over, runs)
    parts.append(page.folded("What the numbers mean", page.terms(TERMS)))
    lead = f"{counted(len(selected.places), 'run')}, arms compared seed by seed."
    return glued("Compare", tuple(parts), SCRIPTS, lead=lead, wide=True)


_LEAD_FOLDERS: Final = (
    "Choose an experiment: its arms are compared seed by seed, as hyperspace report does. Runs of "
    "your own choice are selected in the list of all runs."
)


def _folders(question: Question) -> page.Markup:
    folders = folders_of_runs(question.sources.tree.places())
    if not folders:
        return page.paragraph("There are no two runs here that could be compared.")
    rows = [
        (run_link(name, question.links.page("compare", below=name)), str(count))
        for name, count in folders[:MOST_FOLDERS]
    ]
    left = len(folders) - len(rows)
    caption = "Folders with several runs" + (f"; {left} more are not shown" if left else "")
    return page.table(("folder", "runs"), rows, caption=caption, numeric=(1,))


def _experiment(
    question: Question,
    report: ExperimentReport,
    experiment: Experiment,
    over: Budget,
    runs: ComparedRuns,
) -> Iterator[page.Markup]:
    figures = (
        page.figure(estimates_svg(each.estimates, MEASURES[each.measure]), each.caption)
        for each in estimates_of(report.arms)
    )
    curves = budget_curves(experiment.arms, over)
    spent = page.section("Over what was spent", _choices(question, over), *_plots(curves, over))
    yield beside(verdict_part(report, _against(question, report)), page.joined((*figures, spent)))
    medians, *others = table_parts(report)
    yield page.section("Numbers", medians, page.folded("All tables of the report", *others))
    yield page.section("Configuration", *_configuration(experiment))
    yield page.section("Runs", _runs(question, experiment, runs))
    yield budget_part(report)
    yield missing_part(report)


def _against(question: Question, report: ExperimentReport) -> page.Markup:
    """Links that compare all arms with one of them only: fewer comparisons need fewer seeds."""
    names = [arm.arm for arm in report.arms]
    if len(names) < 3:
        return page.Markup()
    chosen = question.text("against", most=4_000)
    parts: list[str] = []
    for name in ("", *names):
        text = name or "each other"
        address = question.links.page("compare", **_query(question, against=name))
        parts += [" · ", choice(text, address, is_chosen=name == chosen)]
    return page.paragraph("All arms are compared with: ", *parts[1:])


def _choices(question: Question, over: Budget) -> page.Markup:
    parts: list[str] = []
    for name, words in BUDGETS.items():
        address = question.links.page("compare", **_query(question, over=name))
        parts += [" · ", choice(words, address, is_chosen=name == over)]
    return page.paragraph("Along the axis: ", *parts[1:])


def _query(question: Question, **changed: str) -> dict[str, str]:
    names = ("runs", "below", "against", "over")
    query = {name: question.query.get(name, "") for name in names} | changed
    return {name: value for name, value in query.items() if value}


def _plots(curves: Sequence[BudgetCurve], over: Budget) -> Iterator[page.Markup]:
    unknown = [curve.arm for curve in curves if not curve.spent]
    drawn = [curve for curve in curves if curve.spent]
    if not drawn:
        yield page.paragraph(f"It is not known of these runs how many {BUDGETS[over]} they took.")
        return
    if not any(curve.spent[-1] for curve in drawn):
        yield page.paragraph(f"None of these runs took any {BUDGETS[over]}.")
        return
    caption = CURVES.format(score="validation score", budget=BUDGETS[over])
    for at in range(0, len(drawn), len(COLOURS)):
        panel, bands = _panel(drawn[at : at + len(COLOURS)], over)
        yield page.figure(panel_svg(panel, bands), caption)
    yield page.folded("The numbers of these curves", _numbers(drawn, over))
    if unknown:
        yield page.paragraph(f"Not known, or not finished by any seed: {', '.join(unknown)}.")


def _numbers(curves: Sequence[BudgetCurve], over: Budget) -> page.Markup:
    """Return the numbers of curves as a table, which copies as CSV."""
    rows = [
        (curve.arm, f"{spent:g}", *(score(value) for value in values))
        for curve in curves
        for spent, *values in zip(curve.spent, curve.median, curve.low, curve.high, strict=True)
    ]
    headings = ("arm", BUDGETS[over], "median", "lowest", "highest")
    shown = f"the first {MOST_ROWS} of {len(rows)}" if len(rows) > MOST_ROWS else "all of them"
    caption = f"Best validation score so far over {BUDGETS[over]}: {shown}"
    return page.table(headings, rows[:MOST_ROWS], caption=caption, numeric=(1, 2, 3, 4))


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


def _configuration(experiment: Experiment) -> Iterator[page.Markup]:
    differing, same = configurations_of(experiment.arms)
    if differing.rows:
        yield table_part(differing)
    else:
        yield page.paragraph("The arms were asked for the same, as far as is on record.")
    if same.rows:
        yield page.folded(
            f"The same in all: {counted(len(same.rows), 'condition')}", table_part(same)
        )


def _runs(question: Question, experiment: Experiment, runs: ComparedRuns) -> page.Markup:
    rows = [
        (
            run_link(
                runs.places[run.source].name,
                question.links.page("runs", runs.places[run.source].id),
            ),
            arm.name,
            str(run.seed),
            score(run.best_val),
            score(run.test),
            {True: "finished", False: "not finished", None: "-"}[run.finished],
        )
        for arm in experiment.arms
        for run in arm.runs
    ]
    headings = ("run", "arm", "seed", "best val", "test", "state")
    return page.table(headings, rows, caption="Runs that are compared", numeric=(2, 3, 4))


VIEW = View("compare", "/compare", render, in_bundle=False)
