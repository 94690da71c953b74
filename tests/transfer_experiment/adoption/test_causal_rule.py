import json

import pytest

from runs.trace import ToolUse, TraceLine
from tests.support.runs.judging import find_adoptions, reading_evidence
from transfer_experiment.adoption.causal_rule import Adoption, adopted
from transfer_experiment.turns.code import SeenStrategy, TurnCode
from transfer_experiment.turns.evidence import Evidence

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
OWN = "def rule(x):\n    limit = 2\n    return x > limit\n"
PEER = """import math


def better(x):
    total = math.fsum(x)
    return "yes" if total > 3.5 else "no"
"""
READ = (
    Evidence("a/gen_1/llm_calls.jsonl", 3, "cat strategies/b_gen2/task_agent.py", "host-observed"),
)


def judge(text: str, *, read: bool, previous: str = SEED, peer: str = PEER) -> list[Adoption]:
    seen = SeenStrategy("b", "strategies/b_gen2", peer, READ if read else ())
    steps = [TurnCode(0, previous, 0.5), TurnCode(1, text, 0.8, (seen,))]
    return find_adoptions("a", steps)


def test_a_copy_that_was_read_is_adopted_with_its_scores_and_evidence() -> None:
    (event,) = judge(PEER, read=True)
    assert event.verdict == "adopted"
    assert (event.ratio, event.d_peer) == (0.0, 0.0)
    assert (event.score_before, event.score_after) == (0.5, 0.8)
    assert (event.peer, event.generation, event.strategy) == ("b", 1, "strategies/b_gen2")
    assert event.evidence == READ


def test_the_same_code_without_reading_is_coincident() -> None:
    (event,) = judge(PEER, read=False)
    assert event.verdict == "coincident"
    assert adopted([event]) == []


def test_reading_and_taking_one_line_is_inspired() -> None:
    (event,) = judge(SEED + "import math\n", read=True)
    assert event.verdict == "inspired"
    assert event.peer_lines == 1


def test_without_a_trace_a_move_with_lines_of_the_peer_is_unproven() -> None:
    seen = SeenStrategy("b", "strategies/b_gen2", PEER, ())
    steps = [TurnCode(0, SEED, 0.5), TurnCode(1, PEER, 0.8, (seen,), trace_problem="is missing")]
    (event,) = find_adoptions("a", steps)
    assert event.verdict == "unproven"


def test_the_own_past_shown_as_a_strategy_cannot_be_adopted() -> None:
    seen = SeenStrategy("a", "strategies/a_gen2", PEER, READ)
    assert find_adoptions("a", [TurnCode(0, SEED, 0.5), TurnCode(1, PEER, 0.8, (seen,))]) == []


def test_brackets_and_lone_keywords_are_no_lines_of_the_peer() -> None:
    peer = "if x:\n    go()\nelse:\n    stop(now)\n)\n"
    seen = SeenStrategy("b", "strategies/b_gen2", peer, READ)
    mine = SEED + "else:\n)\n"
    assert find_adoptions("a", [TurnCode(0, SEED, 0.5), TurnCode(1, mine, 0.8, (seen,))]) == []


def test_own_work_is_no_event() -> None:
    assert judge(OWN, read=True) == []


def test_unchanged_code_is_no_event_even_when_the_peer_has_the_same() -> None:
    assert judge(SEED, read=True, peer=SEED) == []
    assert judge(SEED, read=True) == []


def test_going_back_to_own_earlier_code_is_not_taken_from_the_peer() -> None:
    seen = SeenStrategy("b", "strategies/b_gen0", SEED, READ)
    steps = [TurnCode(0, SEED, 0.5), TurnCode(1, PEER, 0.2), TurnCode(2, SEED, 0.5, (seen,))]
    (event,) = find_adoptions("a", steps)
    assert event.verdict == "coincident"


def test_generations_without_code_are_skipped() -> None:
    seen = SeenStrategy("b", "strategies/b_gen2", PEER, READ)
    steps = [TurnCode(0, SEED, 0.5), TurnCode(1, None, None), TurnCode(2, PEER, 0.9, (seen,))]
    (event,) = find_adoptions("a", steps)
    assert (event.generation, event.score_before) == (2, 0.5)


def line(*commands: str, number: int = 1, purpose: str = "modify", response: str = "") -> TraceLine:
    tools = tuple(
        ToolUse(str(n), "bash", {"command": command}, json.dumps({"command": command}))
        for n, command in enumerate(commands)
    )
    return TraceLine("trace", number, purpose, "m", tools, "", response)


@pytest.mark.parametrize(
    "command",
    [
        "cd strategies && cat b_gen2/task_agent.py",
        "cd strategies/b_gen2\ncat task_agent.py",
        "cat strategies/{b_gen2,c_gen1}/task_agent.py",
        "cat strategies//b_gen2/./task_agent.py",
        "grep -r def strategies",
        "cp -r strategies /tmp/mine",
        "S=strategies; diff task_agent.py $S/b_gen2/task_agent.py > /tmp/diff",
        "find strategies -name '*.py' -exec cat {} +",
        "cat strategies/b_*/task_agent.py",
    ],
)
def test_reading_is_found_however_it_is_written(command: str) -> None:
    assert reading_evidence([line(command)], "b_gen2")
    arguments = json.dumps({"command": command})
    framed = line(response=f"I look.<tool_call>{arguments}</tool_call>")
    assert reading_evidence([framed], "b_gen2")


@pytest.mark.parametrize(
    "command",
    [
        "ls strategies",
        "cat strategies/b_gen20/task_agent.py",
        "rm -rf strategies/b_gen2",
        "echo mine > strategies/b_gen2/note",
        "cat evals/gen_2/task_agent.py",
    ],
)
def test_what_is_no_reading_is_not_taken_for_it(command: str) -> None:
    assert not reading_evidence([line(command)], "b_gen2")


def test_calls_of_an_evaluated_task_agent_are_no_evidence() -> None:
    assert not reading_evidence([line("cat strategies/b_gen2/x", purpose="val")], "b_gen2")


def test_writing_code_that_speaks_of_a_strategy_is_no_reading() -> None:
    arguments = {"command": "create", "path": "meta_agent.py", "file_text": "strategies/b_gen2"}
    made = ToolUse("1", "editor", arguments, json.dumps(arguments))
    assert not reading_evidence([TraceLine("trace", 1, "modify", "m", (made,), "", "")], "b_gen2")


def test_evidence_names_line_and_quote_of_calls_that_name_the_folder_or_a_pattern() -> None:
    calls = [
        line("ls strategies/"),
        line("cat strategies/b_gen2/x.py", "cat strategies/b_gen20/x.py", number=2),
        line("cat /workspace/strategies/*/metadata.json", number=3),
        line("cat evals/gen_2/task_agent.py", number=4),
    ]
    evidence = reading_evidence(calls, "b_gen2")
    assert [(e.line, e.quote) for e in evidence] == [
        (2, '{"command": "cat strategies/b_gen2/x.py"}'),
        (3, '{"command": "cat /workspace/strategies/*/metadata.json"}'),
    ]
    assert {e.rank for e in evidence} == {"host-observed"}
