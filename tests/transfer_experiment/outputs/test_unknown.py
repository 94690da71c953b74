"""Where a source has no code or no traces, nothing is said of what needs them: not even zero."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.runs.published_runs import POINTER, Generation, conversation, write_run
from transfer_experiment.outputs.document import AnalysisPage
from transfer_experiment.outputs.encoded import to_json
from transfer_experiment.outputs.lines import survey_lines
from transfer_experiment.survey import survey

CODE = "def answer(item):\n    return 'yes'\n"
PEER = "import math\n\n\ndef better(x):\n    total = math.fsum(x)\n    return total > 3.5\n"
TABLE = """\
pairing,seed,agent,generation,valid,train_score,val_score,task_agent_bytes,meta_agent_bytes
a_vs_b,1,a,0,True,0.5,0.5,1000,1000
a_vs_b,1,a,1,True,0.6,0.6,1200,1000
a_vs_b,1,b,0,True,0.5,0.5,1000,1000
a_vs_b,1,b,1,True,0.7,0.7,1100,1000
"""
NEITHER, NO_TRACES = "not known (no code, no traces)", "not known (no traces)"
OF_TRACES = ("transfers", "independences", "contradictions", "neglects")
IDLE = conversation(("ls", "task_agent.py"), "Done.")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of scores and sizes."""
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    return path


def run_of(base: Path, calls: Any) -> Path:
    """A run with code, and traces as given."""
    a = [Generation(CODE), Generation(CODE, 0.6, calls)]
    b = [Generation(CODE), Generation(PEER, 0.7, calls)]
    return write_run(base / "a_vs_b" / "seed1", {"a": a, "b": b})


def lines(base: Path) -> list[str]:
    return list(survey_lines(survey(base)))


def totals(base: Path) -> Any:
    return json.loads(to_json(survey(base)))["totals"]


def page(base: Path) -> str:
    document = AnalysisPage()
    return document.html(survey(base, each=document.add).totals)


def test_a_table_of_scores_tells_nothing_of_adoption_and_habits(table: Path) -> None:
    told = totals(table)
    assert [told[name] for name in ("adoptions", "agreed", "disagreed", *OF_TRACES)] == [None] * 7
    assert set(told["findings"].values()) == {None}
    assert (told["with_code"], told["with_traces"], told["crashes"]) == (0, 0, 0)
    shown = [line for line in lines(table) if "not known (" in line]
    assert [line.split(": ")[1] for line in shown] == [NEITHER] * 7
    assert not [line for line in lines(table) if line.endswith(": none")]
    assert [line for line in lines(table) if "calls not known" in line]


def test_code_without_traces_tells_of_adoption_and_standstill_alone(tmp_path: Path) -> None:
    base = run_of(tmp_path, POINTER)
    told = totals(base)
    assert (told["adoptions"], told["agreed"]) == ({}, 0)
    assert [told[name] for name in OF_TRACES] == [None] * 4
    told_kinds = {kind for kind, count in told["findings"].items() if count is not None}
    assert told_kinds == {"meta_edits", "stuck"}
    assert f"  habits: 1 stuck; the others {NO_TRACES}" in lines(base)
    assert f"  neglects: {NO_TRACES}" in lines(base)


def test_with_code_and_traces_what_is_not_there_is_none(tmp_path: Path) -> None:
    base = run_of(tmp_path, IDLE)
    told = totals(base)
    assert None not in (*told.values(), *told["findings"].values())
    assert "not known (" not in "\n".join(lines(base))


def test_of_how_many_runs_the_counts_tell_is_said(tmp_path: Path) -> None:
    run_of(tmp_path / "with", IDLE)
    run_of(tmp_path / "without", POINTER)
    assert "  traces: of 1 of 2 runs; the others tell nothing above" in lines(tmp_path)
    assert totals(tmp_path)["neglects"] == 0


@pytest.mark.long
def test_the_page_of_a_table_draws_no_map_of_code_that_is_not_there(table: Path) -> None:
    text = page(table)
    assert text.count("<svg ") == 1  # scores and sizes
    assert "1 is equal code" not in text
    assert (
        f'<p class="note">Adoption, similarity, what went over, claims and habits: {NEITHER}'
        in (text)
    )
