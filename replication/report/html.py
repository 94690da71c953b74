"""A report, or curves, as one HTML file."""

from collections.abc import Iterator

from replication.report.build import Study
from replication.report.cells import Table, control_lines, tables_of
from replication.report.explained import TERMS
from replication.report.grouping import Experiment
from replication.report.plots import report_figures
from replication.report.records import ExperimentReport
from replication.report.text import archive_lines, title_of
from reporting import page
from reporting.figures import to_svg
from reporting.page import Markup


def report_page(study: Study) -> str:
    """Return the whole page.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    parts = [
        part
        for at, (report, experiment) in enumerate(
            zip(study.report.experiments, study.experiments, strict=True)
        )
        for part in _experiment(report, experiment, at)
    ]
    meaning = page.section("What the numbers mean", page.terms(TERMS))
    lead = f"Arms of {study.report.source}, compared seed by seed."
    return page.page("Report of arms", *parts, meaning, lead=lead)


def table_markup(table: Table) -> Markup:
    """Return a table as HTML."""
    numeric = [at for at in range(len(table.headings)) if at not in table.left]
    return page.table(table.headings, table.rows, caption=table.caption, numeric=numeric)


def _experiment(report: ExperimentReport, experiment: Experiment, at: int) -> Iterator[Markup]:
    verdict = (page.note(sentence) for sentence in report.verdict)
    yield page.section(title_of(report), *verdict, page.bullets(control_lines(report.arms)))
    yield page.section("Numbers", *map(table_markup, tables_of(report)))
    figures = (
        page.figure(to_svg(drawn.figure, f"e{at}-{drawn.name}"), drawn.caption)
        for drawn in report_figures(experiment.arms, report.arms)
    )
    yield page.section("Figures", *figures)
    yield page.section("Archives", page.bullets(archive_lines(experiment.arms)))
    yield page.section("Budgets", page.bullets(report.budget or ("The arms took equally much.",)))
    if report.notes:
        yield page.section("Missing or damaged", page.bullets(report.notes))
