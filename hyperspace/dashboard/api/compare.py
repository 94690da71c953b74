"""Runs compared, as JSON: what `hyperspace report --json` says, and curves over what was spent."""

import msgspec

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.errors import BadQuery
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.comparison import QUERY, budget_asked, compared, selected_runs
from replication.report.budget_curves import BudgetCurve, budget_curves
from replication.report.records import Report


class ExperimentCurves(msgspec.Struct, frozen=True):
    """The curves of one experiment, one for each arm."""

    experiment: str
    domain: str
    curves: tuple[BudgetCurve, ...]


class RunComparison(msgspec.Struct, frozen=True):
    """Runs compared.

    Attributes:
        report: Of all experiments that the runs are of.
        over: What lies along the axis of the curves.
        curves: In the order of the experiments.
        notes: What was left out, and why.
    """

    report: Report
    over: str
    curves: tuple[ExperimentCurves, ...]
    notes: tuple[str, ...]


def answer(question: Question) -> RunComparison:
    """Compare the runs that were chosen.

    Raises:
        BadQuery: None was.
    """
    selected = selected_runs(question)
    if not selected.places:
        raise BadQuery("give runs=ID,ID,... or below=FOLDER; /api/runs lists the runs")
    over, runs = budget_asked(question), compared(question, selected)
    curves = tuple(
        ExperimentCurves(each.name, each.domain, budget_curves(each.arms, over))
        for each in runs.study.experiments
    )
    return RunComparison(runs.study.report, over, curves, runs.notes)


ENDPOINT = ApiEndpoint(
    "compare",
    "/api/compare",
    answer,
    RunComparison,
    "Arms and seeds of several runs, compared as the report does it.",
    QUERY,
)
