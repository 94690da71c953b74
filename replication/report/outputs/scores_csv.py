"""The scores behind a report as a table in CSV; no name in it is a formula for a spreadsheet."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from hyperspace.runs.records import Run, RunAgent
from hyperspace.tasks.csv_rows import inert
from replication.report.build import Study

COLUMNS: Final = (
    *("domain", "experiment", "arm", "seed", "agent", "generation", "parent", "valid"),
    *("score", "best_so_far"),
)


def scores_csv(study: Study) -> bytes:
    """Return a row for each generation, or idea, of every run, with the best score up to it."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for experiment in study.experiments:
        for arm in experiment.arms:
            for run in arm.runs:
                for agent in run.agents:
                    writer.writerows(_rows(run, agent))
    return file.getvalue().encode("utf-8", "replace")


def _rows(run: Run, agent: RunAgent) -> Iterator[Sequence[str]]:
    for row, best in zip(agent.generations, agent.best_so_far(), strict=True):
        numbers = ("" if value is None else repr(value) for value in (row.val, best))
        parent = "" if row.parent is None else str(row.parent)
        named = map(inert, (run.domain, run.experiment, run.arm))
        where = (*named, str(run.seed), inert(agent.name))
        yield (*where, str(row.generation), parent, str(row.valid), *numbers)
