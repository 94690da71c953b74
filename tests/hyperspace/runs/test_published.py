import json
from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs import generations, records
from hyperspace.runs.files import ReadingNotes
from hyperspace.runs.finding import read_runs
from hyperspace.runs.folders import read_run
from hyperspace.runs.generations import read_generations
from hyperspace.runs.trace import EVALUATE, MODIFY
from tests.support.runs.published_runs import (
    POINTER,
    Generation,
    conversation,
    evaluation,
    write_run,
)
from transfer_experiment.analysis import analyse

CODE = "def answer(item):\n    return 'yes'\n"


def turn_with(tmp_path: Path, generation: Generation) -> records.Generation:
    start = Generation(CODE)
    run = write_run(tmp_path / "a_vs_b" / "seed7", {"a": [start, generation], "b": [start]})
    return read_run(run).agent("a").generations[1]


def test_a_pair_is_read_with_its_seed_its_models_and_its_names(tmp_path: Path) -> None:
    agents = {"kimi": [Generation(CODE, 0.4)], "kimi_b": [Generation(CODE, 0.6)]}
    (run,) = read_runs(write_run(tmp_path / "kimi_vs_kimi_b" / "seed7", agents))
    assert (run.pairing, run.seed) == ("kimi_vs_kimi_b", 7)
    assert [(agent.name, agent.model) for agent in run.agents] == [
        ("kimi", "models/kimi"),
        ("kimi_b", "models/kimi_b"),
    ]
    assert [agent.generations[0].val for agent in run.agents] == [0.4, 0.6]


@pytest.mark.parametrize("val", [None, "null"])
def test_a_missing_score_is_no_score(tmp_path: Path, val: str | None) -> None:
    turn = turn_with(tmp_path, Generation(CODE, val, error="it crashed"))
    assert (turn.val, turn.valid, turn.error) == (None, False, "it crashed")


def test_a_generation_without_a_repo_has_no_text_and_no_size(tmp_path: Path) -> None:
    turn = turn_with(tmp_path, Generation(None, None))
    assert (turn.task.read(), turn.meta.read(), turn.task.size_bytes()) == (None, None, None)


@pytest.mark.parametrize("most_bytes", [generations.MOST_HELD_BYTES, 0])
def test_code_that_is_read_for_an_analysis_is_held_as_far_as_it_takes_little_memory(
    tmp_path: Path, most_bytes: int
) -> None:
    folder = tmp_path / "seed7" / "a"
    write_run(folder.parent, {"a": [Generation(CODE)], "b": [Generation(CODE)]})
    (folder / "gen_0" / "repo" / "task_agent.py").write_bytes(b"x = '\xff'\n")
    notes = ReadingNotes(folder.parent)
    (turn,) = read_generations(folder.parent, folder, notes, most_held_bytes=most_bytes)
    (folder / "gen_0" / "repo" / "task_agent.py").unlink()
    assert turn.code_bytes == 8
    is_held = most_bytes > 0
    assert turn.task.read() == ("x = '\ufffd'\n" if is_held else None)
    assert turn.task.size_bytes() == (8 if is_held else None)


@pytest.mark.parametrize(
    ("calls", "problem"),
    [(None, "is missing"), ("", "is empty"), (POINTER, "git-lfs pointer")],
)
def test_a_trace_that_is_not_there_is_said_and_the_code_is_judged(
    tmp_path: Path, calls: str | None, problem: str
) -> None:
    turn = turn_with(tmp_path, Generation(CODE, calls=calls))
    with turn.trace.open() as trace:
        assert list(trace.lines()) == []
        assert problem in trace.problem
    analysis = analyse(read_run(tmp_path / "a_vs_b" / "seed7"))
    assert any("generation 1" in note and problem in note for note in analysis.notes)


def test_a_truncated_trace_gives_the_lines_before_it_was_cut(tmp_path: Path) -> None:
    lines = [json.dumps(call) for call in conversation(("ls", "task_agent.py"), "Done.")]
    turn = turn_with(tmp_path, Generation(CODE, calls=lines[0] + "\n" + lines[1][:40]))
    with turn.trace.open() as trace:
        assert [line.line for line in trace.lines()] == [1]
        assert trace.damaged == [2]
    analysis = analyse(read_run(tmp_path / "a_vs_b" / "seed7"))
    assert any("1 line cannot be read" in note for note in analysis.notes)
    assert analysis.agents[0].efficiency.calls is None


def test_what_a_tool_said_stands_with_its_call(tmp_path: Path) -> None:
    turn = turn_with(tmp_path, Generation(CODE, calls=conversation(("ls", "a.py"), "Done.")))
    with turn.trace.open() as trace:
        first, last = trace.lines()
    assert [(tool.argument("command"), tool.result) for tool in first.tools] == [("ls", "a.py")]
    assert (last.tools, last.response) == ((), "Done.")


def test_calls_under_evaluation_are_told_from_those_of_the_meta_agent(tmp_path: Path) -> None:
    calls = [*conversation(("ls", "a.py"), "Done."), evaluation(), evaluation("m")]
    turn = turn_with(tmp_path, Generation(CODE, calls=calls))
    with turn.trace.open() as trace:
        purposes = [line.purpose for line in trace.lines()]
    assert purposes == [MODIFY, MODIFY, EVALUATE, EVALUATE]


def test_in_sight_was_the_peers_best_of_the_generations_before(tmp_path: Path) -> None:
    scores = (0.2, 0.5, 0.5, 0.9)
    agents = {"a": [Generation(CODE)] * 4, "b": [Generation(CODE, score) for score in scores]}
    run = read_run(write_run(tmp_path / "a_vs_b" / "seed1", agents))
    seen = [[strategy.generation for strategy in turn.seen] for turn in run.agent("a").generations]
    assert seen == [[], [0], [1], [1]]


def test_links_in_a_run_folder_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("KEY = 1\n")
    turn_with(tmp_path, Generation(CODE))
    file = tmp_path / "a_vs_b" / "seed7" / "a" / "gen_1" / "repo" / "task_agent.py"
    file.unlink()
    file.symlink_to(secret)
    assert read_run(tmp_path / "a_vs_b" / "seed7").agent("a").generations[1].task.read() is None


def test_a_published_solo_run_is_one_agent(tmp_path: Path) -> None:
    root = tmp_path / "imo" / "arm_a_full" / "seed42"
    write_run(root.parent / "made", {"seed": [Generation(CODE, 0.1), Generation(CODE, 0.3)]})
    (root.parent / "made" / "seed").rename(root)
    (root / "archive.jsonl").write_text("")
    (run,) = read_runs(tmp_path / "imo" / "arm_a_full" / "seed42")
    assert (run.pairing, run.seed) == ("imo/arm_a_full", 42)
    assert [turn.val for turn in run.agent("arm_a_full").generations] == [0.1, 0.3]


def test_a_folder_without_runs_and_a_path_that_is_not_there_are_usage_errors(
    tmp_path: Path,
) -> None:
    with pytest.raises(RunUsageError, match="holds no run"):
        list(read_runs(tmp_path))
    with pytest.raises(RunUsageError, match="does not exist"):
        list(read_runs(tmp_path / "nope"))


def test_a_table_without_its_columns_is_a_usage_error_that_names_them(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("pairing,seed,agent,generation,valid,train_score\n")
    with pytest.raises(RunUsageError, match="val_score"):
        list(read_runs(table))
    table.write_text("pairing,seed,agent,generation,valid,train_score,val_score\na,1,b,x,True,,\n")
    with pytest.raises(RunUsageError, match="line 2"):
        list(read_runs(table))
