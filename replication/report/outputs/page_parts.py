"""What every page says of the arms of one experiment: the report's own words and tables."""

from collections.abc import Iterator

from hyperspace.reporting import page
from replication.report.outputs.cells import Table, control_lines, tables_of
from replication.report.outputs.text import title_of
from replication.report.records import ExperimentReport


def verdict_part(report: ExperimentReport, *more: str) -> page.Markup:
    """Return the finding, the verdict and the controls of an experiment under its name.

    The finding stands out; without one, what the verdict begins with.
    """
    verdict = [*dict.fromkeys(report.verdict)]  # what holds of every measure is said once
    finding = report.finding or [verdict.pop(0) for _ in verdict[:1]]
    rest = page.bullets((*verdict, *control_lines(report.arms)))
    return page.section(title_of(report), *map(page.note, finding), rest, *more)


def table_parts(report: ExperimentReport) -> Iterator[page.Markup]:
    """Return all tables of a report, in reading order."""
    return map(table_part, tables_of(report))


def table_part(table: Table) -> page.Markup:
    """Return one table."""
    numeric = set(range(len(table.headings))).difference(table.left)
    words = {*table.left} - {0}
    return page.table(
        table.headings, table.rows, caption=table.caption, numeric=numeric, words=words
    )


def budget_part(report: ExperimentReport) -> page.Markup:
    """Return whether the arms took equally much."""
    budget = report.budget or ("The arms took equally much.",)
    return page.section("Budgets", page.bullets(budget))


def weights_part(report: ExperimentReport) -> page.Markup:
    """Return the weights that servers told of; nothing where none did."""
    if not report.weights:
        return page.Markup("")
    return page.section("Weights of models on servers nearby", page.bullets(report.weights))


def missing_part(report: ExperimentReport) -> page.Markup:
    """Return what is missing or damaged; empty if nothing is."""
    if not report.notes:
        return page.Markup()
    return page.section("Missing or damaged", page.bullets(report.notes))
