"""A report, or curves, as one HTML file."""

from hyperspace.reporting import page
from hyperspace.reporting.figures import to_svg
from hyperspace.reporting.page import Markup
from replication.report.build import Study
from replication.report.outputs.explained import TERMS
from replication.report.outputs.page_parts import (
    budget_part,
    missing_part,
    table_parts,
    verdict_part,
    weights_part,
)
from replication.report.outputs.plots import report_figures
from replication.report.outputs.text import archive_lines


def report_page(study: Study) -> str:
    """Return the whole page.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    parts: list[Markup] = []
    pairs = zip(study.report.experiments, study.experiments, strict=True)
    for at, (report, experiment) in enumerate(pairs):
        figures = (
            page.figure(to_svg(drawn.figure, f"e{at}-{drawn.name}"), drawn.caption)
            for drawn in report_figures(experiment.arms, report.arms, report.curves)
        )
        parts += (
            verdict_part(report),
            page.section("Numbers", *table_parts(report)),
            page.section("Figures", *figures),
            page.section("Archives", page.bullets(archive_lines(experiment.arms))),
            budget_part(report),
            weights_part(report),
            missing_part(report),
        )
    if study.report.left_out:
        parts.append(page.section("Left out", page.bullets(study.report.left_out)))
    meaning = page.section("What the numbers mean", page.terms(TERMS))
    lead = f"Arms of {study.report.source}, compared seed by seed."
    return page.page("Report of arms", *parts, meaning, lead=lead)
