"""A report for a terminal."""

from collections.abc import Iterable, Iterator, Sequence

from hyperspace.reporting.lines import columns, wrapped
from replication.report.build import Study
from replication.report.outputs.cells import control_lines, tables_of
from replication.report.outputs.explained import TERMS
from replication.report.records import Arm, ExperimentReport
from replication.report.tree import best_run, branches


def report_lines(study: Study, *, legend: bool = False) -> Iterator[str]:
    """Return a report line by line.

    Args:
        study: What is reported.
        legend: Whether each word of it is explained at the end.
    """
    yield from wrapped(f"Report of {study.report.source}", "")
    for report, experiment in zip(study.report.experiments, study.experiments, strict=True):
        runs = sum(len(arm.results) for arm in report.arms)
        yield ""
        yield from wrapped(f"{title_of(report)}; arms: {len(report.arms)}, runs: {runs}", "")
        yield from _block("Finding", report.finding)
        yield from _block("Verdict", report.verdict)
        for table in tables_of(report):
            yield ""
            yield table.caption
            yield from columns(table.headings, table.rows, left=table.left)
        yield from _block("Archive of each arm's best run", archive_lines(experiment.arms))
        yield from _block("Controls", control_lines(report.arms))
        yield from _block("Budgets", report.budget)
        yield from _block("Weights of models on servers nearby", report.weights)
        yield from _block("Missing or damaged", report.notes)
    yield from _block("Left out", study.report.left_out)
    if legend:
        yield from _block("What the numbers mean", [f"{term}: {what}." for term, what in TERMS])


def title_of(report: ExperimentReport) -> str:
    """Name an experiment."""
    path = "/".join(name for name in (report.domain, report.experiment) if name)
    return f"Experiment {path}" if path else "Experiment"


def archive_lines(arms: Sequence[Arm]) -> Iterator[str]:
    """Describe the archive of each arm's best run."""
    for arm in arms:
        run = best_run(arm)
        for agent in run.agents:
            who = f", {agent.name}" if len(run.agents) > 1 else ""
            yield f"{arm.name} seed {run.seed}{who}: {'; '.join(branches(agent))}"


def _block(title: str, sentences: Iterable[str]) -> Iterator[str]:
    lines = list(sentences)
    if lines:
        yield ""
        yield title
    for sentence in lines:
        yield from wrapped(sentence, hang="  ")
