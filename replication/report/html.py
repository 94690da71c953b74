"""A report, or curves, as one HTML file."""

from replication.report.build import Study
from replication.report.cells import control_lines, tables_of
from replication.report.explained import TERMS
from replication.report.plots import report_figures
from replication.report.text import archive_lines, title_of
from reporting import page
from reporting.figures import to_svg
from reporting.page import Markup


def report_page(study: Study) -> str:
    """Return the whole page.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    parts: list[Markup] = []
    pairs = zip(study.report.experiments, study.experiments, strict=True)
    for at, (report, experiment) in enumerate(pairs):
        verdict = (page.note(sentence) for sentence in (*report.finding, *report.verdict))
        figures = (
            page.figure(to_svg(drawn.figure, f"e{at}-{drawn.name}"), drawn.caption)
            for drawn in report_figures(experiment.arms, report.arms)
        )
        tables = (
            page.table(
                table.headings,
                table.rows,
                caption=table.caption,
                numeric=set(range(len(table.headings))).difference(table.left),
            )
            for table in tables_of(report)
        )
        budget = report.budget or ("The arms took equally much.",)
        parts += (
            page.section(title_of(report), *verdict, page.bullets(control_lines(report.arms))),
            page.section("Numbers", *tables),
            page.section("Figures", *figures),
            page.section("Archives", page.bullets(archive_lines(experiment.arms))),
            page.section("Budgets", page.bullets(budget)),
        )
        if report.notes:
            parts.append(page.section("Missing or damaged", page.bullets(report.notes)))
    if study.report.left_out:
        parts.append(page.section("Left out", page.bullets(study.report.left_out)))
    meaning = page.section("What the numbers mean", page.terms(TERMS))
    lead = f"Arms of {study.report.source}, compared seed by seed."
    return page.page("Report of arms", *parts, meaning, lead=lead)
