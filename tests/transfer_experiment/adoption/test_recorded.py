"""What a run recorded of adoption stands when the traces that showed it are gone."""

import json
from pathlib import Path

import msgspec

from hyperspace.runs.folders import read_run
from tests.support.runs.published_runs import Generation, conversation, write_run
from transfer_experiment.analysis import RunAnalysis, analyse

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = "import math\n\n\ndef better(x):\n    total = math.fsum(x)\n    return total > 3.5\n"


def a_run(folder: Path) -> Path:
    read = conversation(("cat strategies/b_gen0/task_agent.py", PEER), "I adopted b_gen0.")
    idle = conversation("Done.")
    agents = {
        "a": [Generation(SEED), Generation(PEER, 0.8, read)],
        "b": [Generation(PEER), Generation(PEER, 0.5, idle)],
    }
    return write_run(folder / "a_vs_b" / "seed1", agents)


def causal(analysis: RunAnalysis) -> list[str]:
    return [event.verdict for event in analysis.adoptions if event.rule == "causal"]


def test_a_recorded_event_stands_with_its_evidence_when_the_trace_is_gone(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    before = analyse(read_run(run))
    events = [event for event in before.adoptions if event.rule == "causal"]
    (run / "summary.json").write_text(json.dumps({"adoptions": msgspec.to_builtins(events)}))
    (run / "a" / "gen_1" / "llm_calls.jsonl").unlink()
    after = analyse(read_run(run))
    assert after.adoptions == before.adoptions
    assert any("judged by the code alone" in note for note in after.notes)


def test_without_a_record_it_is_unproven(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    (run / "a" / "gen_1" / "llm_calls.jsonl").unlink()
    assert causal(analyse(read_run(run))) == ["unproven"]


def test_a_trace_is_taken_for_redacted_only_in_an_export(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    trace = run / "a" / "gen_1" / "llm_calls.jsonl"
    words = '"content": "[redacted: 4 characters]"'
    trace.write_text(trace.read_text().replace('"content": "Modify the code."', words))
    trace.write_text(trace.read_text().replace('": ', '":'))
    assert causal(analyse(read_run(run))) == ["adopted"]
    (run / "export.json").write_text("{}")
    assert causal(analyse(read_run(run))) == ["unproven"]
