"""Tables of a stranger's run open in a spreadsheet as what they say, not as what it computes."""

import csv
from pathlib import Path

import pytest

from tests.support.runs.published_runs import Generation, conversation, write_run
from transfer_experiment.outputs.encoded import write_tables
from transfer_experiment.survey import survey

CODE = "def answer(item):\n    return 'yes'\n"
PEER = "import math\n\n\ndef better(x):\n    total = math.fsum(x)\n    return total > 3.5\n"


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\uff1d"])
def test_no_cell_is_a_formula_whoever_wrote_it(tmp_path: Path, first: str) -> None:
    name = f"{first}cmd"
    calls = conversation(
        (f"{first}cat strategies/b_gen0/task_agent.py", PEER), f"{first}I adopted."
    )
    mine = [Generation(CODE, -0.5), Generation(PEER, 0.6, calls), Generation(PEER, 0.6, calls)]
    theirs = [Generation(PEER, 0.7), Generation(PEER, 0.7), Generation(PEER, 0.7)]
    write_run(tmp_path / "runs" / f"{first}1+1" / "seed1", {name: mine, "b": theirs})
    runs = survey(tmp_path / "runs").runs
    write_tables(tmp_path / "tables", runs)
    cells = [
        cell
        for path in (tmp_path / "tables").glob("*.csv")
        for row in csv.reader(path.read_text("utf-8").splitlines())
        for cell in row
    ]
    assert f"'{name}" in cells
    begins = [cell for cell in cells if cell[:1] in (*"=+-@\uff1d",)]
    assert [cell for cell in begins if cell != "-0.5"] == []
