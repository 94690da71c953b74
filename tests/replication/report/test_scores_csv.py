"""The table of a report: names that strangers gave are no formulas in it."""

import csv
import io

from hyperspace.runs.files import HeldText
from hyperspace.runs.records import Generation, Run, RunAgent
from replication.report.build import study_of
from replication.report.outputs.scores_csv import scores_csv


def test_a_name_is_no_formula() -> None:
    generation = Generation(generation=0, valid=True, val=-0.5, task=HeldText(""))
    agent = RunAgent("@agent", (generation,), None, None)
    run = Run(arm="=1+1", seed=-3, source="x", agents=(agent,))
    (row,) = csv.DictReader(io.StringIO(scores_csv(study_of([run], "x")).decode()))
    assert row["arm"] == "'=1+1"
    assert row["agent"] == "'@agent"
    assert (row["seed"], row["score"]) == ("-3", "-0.5")
