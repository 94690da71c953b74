"""A report as one HTML file, and what every page says of the arms of one experiment."""

from typing import Final, NamedTuple

from hyperspace.reporting.figures import to_svg
from hyperspace.reporting.rendering import Templates
from replication.report.build import Study
from replication.report.outputs.cells import Table, control_lines, tables_of
from replication.report.outputs.explained import TERMS
from replication.report.outputs.plots import report_figures
from replication.report.outputs.text import archive_lines, title_of
from replication.report.records import ExperimentReport

PACKAGE: Final = "replication.report.outputs"
"""Whose templates write out what is here."""


class Verdict(NamedTuple):
    """What is said first of an experiment.

    Attributes:
        title: Its name.
        finding: What stands out: without a finding, what the verdict begins with.
        rest: The rest of the verdict, and the controls.
    """

    title: str
    finding: list[str]
    rest: list[str]


class ShownExperiment(NamedTuple):
    """An experiment on a page.

    Attributes:
        report: What is said of it.
        verdict: The first of that.
        tables: In reading order.
        figures: Each as an SVG, with its caption.
        archives: Of each arm's best run, a sentence.
    """

    report: ExperimentReport
    verdict: Verdict
    tables: list[Table]
    figures: list[tuple[str, str]]
    archives: list[str]


def verdict_of(report: ExperimentReport) -> Verdict:
    """Return what is said first of an experiment."""
    verdict = [*dict.fromkeys(report.verdict)]  # what holds of every measure is said once
    finding = list(report.finding) or [verdict.pop(0) for _ in verdict[:1]]
    return Verdict(title_of(report), finding, [*verdict, *control_lines(report.arms)])


def report_page(study: Study) -> str:
    """Return the whole page.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    pairs = zip(study.report.experiments, study.experiments, strict=True)
    experiments = [
        ShownExperiment(
            report,
            verdict_of(report),
            [*tables_of(report)],
            [
                (to_svg(drawn.figure, f"e{at}-{drawn.name}"), drawn.caption)
                for drawn in report_figures(experiment.arms, report.arms, report.curves)
            ],
            [*archive_lines(experiment.arms)],
        )
        for at, (report, experiment) in enumerate(pairs)
    ]
    templates = Templates(PACKAGE)
    return templates.render("report.html", study=study.report, experiments=experiments, terms=TERMS)
