"""The truth log: one entry a call whatever happens, and nowhere else than in its file."""

import json
import shutil
import signal
import urllib.request
from pathlib import Path

import msgspec
import pytest

from hyperspace.kernel.state.digest import digest
from hyperspace.messages import ChatRequest, Message, ToolCall, ToolSpec
from hyperspace.offline.ground_truth import (
    GroundTruthLine,
    append_ground_truth,
    read_ground_truth,
    true_action_of,
)
from hyperspace.offline.true_action import TrueAction
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer
from hyperspace.tracing.calls import CallRecord, recorded_message, request_of
from tests.support.command import PAIR, hyperspace, kill_at

pytestmark = pytest.mark.long

COMMAND = ("pair", *PAIR, "--generations", "1", "--seed", "5")
MODIFY = Message("user", "Modify any part of the code at `/workspace`.")
TOOLS = (ToolSpec("bash", "", {}), ToolSpec("editor", "", {}))


def line(ordinal: int, *, generation: int = 1, attempt: int = 0, why: str = "x") -> GroundTruthLine:
    return GroundTruthLine(
        agent="a",
        generation=generation,
        attempt=attempt,
        purpose="modify",
        item="",
        ordinal=ordinal,
        policy="offline/tinker",
        action=TrueAction("work", why),
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("undisturbed")
    return play(results, results / "cache")


def play(results: Path, cache: Path) -> Path:
    done = hyperspace(*COMMAND, "--results", results, "--cache", cache, "--json")
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["run"])


def test_answers_from_the_cache_are_owned_up_to(undisturbed: Path, tmp_path: Path) -> None:
    again = play(tmp_path, undisturbed.parents[2] / "cache")
    traces = [path.read_text().splitlines() for path in again.glob("*/gen_1/llm_calls.jsonl")]
    assert all(json.loads(line)["cached"] for trace in traces for line in trace)
    assert read_ground_truth(again / "truth.jsonl") == read_ground_truth(
        undisturbed / "truth.jsonl"
    )


def start(results: Path, position: str) -> int:
    return kill_at(f"{results}.log", position, *COMMAND, "--results", results).returncode


def test_there_is_one_entry_for_each_call_of_a_meta_agent(undisturbed: Path) -> None:
    entries = read_ground_truth(undisturbed / "truth.jsonl")
    traced = [
        (trace.parts[-3], int(trace.parts[-2].removeprefix("gen_")), call["ordinal"])
        for trace in sorted(undisturbed.glob("*/gen_*/llm_calls.jsonl"))
        for call in map(json.loads, trace.read_text().splitlines())
        if call["purpose"] == "modify"
    ]
    assert sorted((e.agent, e.generation, e.ordinal) for e in entries) == sorted(traced)
    assert len(traced) > 8
    assert {entry.policy for entry in entries} == {"offline/tinker", "offline/magpie"}


def test_killed_and_resumed_it_tells_the_same(undisturbed: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    run = results / "repo_quality" / "tinker_vs_magpie" / "seed5"
    for position in ("tinker:1:call:3", "magpie:1:call:2", "magpie:1:ingest"):
        assert start(results, position) == -signal.SIGKILL
    assert start(results, "-") == 0
    assert digest(run) == digest(undisturbed)
    raw = (run / "truth.jsonl").read_text().splitlines()
    entries, reference = (
        read_ground_truth(run / "truth.jsonl"),
        read_ground_truth(undisturbed / "truth.jsonl"),
    )
    assert len(raw) > len(entries)
    assert {e.place: e.action for e in entries} == {e.place: e.action for e in reference}
    assert len({entry.place for entry in entries}) == len(entries)


def test_deeds_are_in_no_other_file_of_the_run(undisturbed: Path) -> None:
    others = [path for path in undisturbed.rglob("*") if path.is_file()]
    holding = [path.name for path in others if b"read_peer" in path.read_bytes()]
    assert holding == ["truth.jsonl"]


def test_removing_it_changes_no_digest(undisturbed: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(undisturbed, copy)
    (copy / "truth.jsonl").unlink()
    assert digest(copy) == digest(undisturbed)
    assert read_ground_truth(copy / "truth.jsonl") == []


def test_no_deed_goes_over_the_wire() -> None:
    body: dict[str, object] = {
        "model": "magpie",
        "messages": [{"role": "user", "content": MODIFY.content}],
        "tools": [{"type": "function", "function": {"name": "bash"}}],
    }
    with ChatServer(ServedPolicies()).running() as server:
        http_request = urllib.request.Request(  # noqa: S310 - our own server
            f"{server.url}/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(http_request) as answer:  # noqa: S310 - as above
            text = answer.read().decode()
    assert "strategies" in text
    assert "read_peer" not in text
    assert "deed" not in text


def test_behind_an_endpoint_nobody_owns_up() -> None:
    call = CallRecord(
        model="offline/magpie", messages=[{"role": "user", "content": MODIFY.content}]
    )
    assert true_action_of("offline/magpie", call) is not None
    assert true_action_of("offline/magpie@http://127.0.0.1:1/v1", call) is None
    assert true_action_of("offline/nobody", call) is None
    assert true_action_of("offline/grader", call) is None


def test_a_question_about_no_code_has_no_deed() -> None:
    call = CallRecord(model="offline/magpie", messages=[{"role": "user", "content": "2 + 2?"}])
    assert true_action_of("offline/magpie", call) is None


def test_a_request_is_the_same_after_it_was_recorded() -> None:
    called = Message("assistant", "", (ToolCall("call_0", "bash", '{"command": "ls"}'),))
    told = Message("tool", "a.py", tool_call_id="call_0")
    request = ChatRequest("m", (MODIFY, called, told), TOOLS, temperature=0.0, seed=3)
    recorded = CallRecord(
        model="m",
        messages=[recorded_message(message) for message in request.messages],
        tools=list(TOOLS),
        temperature=0.0,
        seed=3,
    )
    assert request_of(recorded) == request
    encoded = msgspec.json.decode(msgspec.json.encode(recorded), type=CallRecord)
    assert request_of(encoded) == request


def test_the_last_attempt_counts_and_a_repeated_place_once(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    for entry in (line(0), line(1), line(2), line(0, attempt=1, why="y"), line(0, generation=2)):
        append_ground_truth(path, entry)
    append_ground_truth(path, line(0, generation=2))
    kept = read_ground_truth(path)
    assert [(e.generation, e.ordinal, e.action.why) for e in kept] == [(1, 0, "y"), (2, 0, "x")]


def test_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    append_ground_truth(path, line(0))
    path.write_bytes(path.read_bytes() + b'{"version":1,"age')
    assert [entry.ordinal for entry in read_ground_truth(path)] == [0]
    append_ground_truth(path, line(1))
    assert [entry.ordinal for entry in read_ground_truth(path)] == [0, 1]


def test_a_log_of_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text('{"version": 9, "who": "a"}\n')
    with pytest.raises(msgspec.ValidationError):
        read_ground_truth(path)
