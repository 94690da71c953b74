import json

import pytest

from agents.calls import CallRecord, RecordedFunction, RecordedToolCall
from transfer_experiment.adoption import Adoption, Seen, Step, adopted, find_adoptions
from transfer_experiment.evidence import Evidence, reading_evidence

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
    seen = Seen("b", "strategies/b_gen2", peer, READ if read else ())
    steps = [Step(0, previous, 0.5), Step(1, text, 0.8, (seen,))]
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


def test_own_work_is_no_event() -> None:
    assert judge(OWN, read=True) == []


def test_unchanged_code_is_no_event_even_when_the_peer_has_the_same() -> None:
    assert judge(SEED, read=True, peer=SEED) == []
    assert judge(SEED, read=True) == []


def test_going_back_to_own_earlier_code_is_not_taken_from_the_peer() -> None:
    seen = Seen("b", "strategies/b_gen0", SEED, READ)
    steps = [Step(0, SEED, 0.5), Step(1, PEER, 0.2), Step(2, SEED, 0.5, (seen,))]
    (event,) = find_adoptions("a", steps)
    assert event.verdict == "coincident"


def test_generations_without_code_are_skipped() -> None:
    seen = Seen("b", "strategies/b_gen2", PEER, READ)
    steps = [Step(0, SEED, 0.5), Step(1, None, None), Step(2, PEER, 0.9, (seen,))]
    (event,) = find_adoptions("a", steps)
    assert (event.generation, event.score_before) == (2, 0.5)


def call(*commands: str) -> CallRecord:
    calls = [
        RecordedToolCall(str(n), RecordedFunction("bash", command))
        for n, command in enumerate(commands)
    ]
    return CallRecord(tool_calls=calls)


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
    arguments = json.dumps({"command": command})
    assert reading_evidence([call(arguments)], "trace", "b_gen2")
    framed = CallRecord(response=f"I look.<tool_call>{arguments}</tool_call>", purpose="modify")
    assert reading_evidence([framed], "trace", "b_gen2")


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
    arguments = json.dumps({"command": command})
    assert not reading_evidence([call(arguments)], "trace", "b_gen2")


def test_calls_of_an_evaluated_task_agent_are_no_evidence() -> None:
    asked = CallRecord(
        response="", tool_calls=call("cat strategies/b_gen2/x").tool_calls, purpose="val"
    )
    assert not reading_evidence([asked], "trace", "b_gen2")


def test_evidence_names_line_and_quote_of_calls_that_name_the_folder_or_a_pattern() -> None:
    calls = [
        call("ls strategies/"),
        call("cat strategies/b_gen2/task_agent.py", "cat strategies/b_gen20/task_agent.py"),
        call("cat /workspace/strategies/*/metadata.json"),
        call("cat evals/gen_2/task_agent.py"),
    ]
    found = reading_evidence(calls, "trace", "b_gen2")
    assert [(e.line, e.quote) for e in found] == [
        (2, "cat strategies/b_gen2/task_agent.py"),
        (3, "cat /workspace/strategies/*/metadata.json"),
    ]
    assert {e.rank for e in found} == {"host-observed"}
