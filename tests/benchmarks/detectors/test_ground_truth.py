"""True actions: one a call whatever happened, and nowhere in what is recorded or sent."""

import json
import shutil
import signal
import urllib.request
from pathlib import Path

import msgspec
import pytest

from benchmarks.detectors.ground_truth import candid, ground_truth, true_action
from hyperspace.kernel.state.digest import digest
from hyperspace.messages import ChatRequest, Message, ToolCall, ToolSpec
from hyperspace.models.base import UnknownModel
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer
from hyperspace.tracing.calls import CallRecord, recorded_message, request_of
from tests.support.command import PAIR, hyperspace, kill_at

pytestmark = pytest.mark.long

COMMAND = ("pair", *PAIR, "--generations", "1", "--seed", "5")
MODIFY = Message("user", "Modify any part of the code at `/workspace`.")
TOOLS = (ToolSpec("bash", "", {}), ToolSpec("editor", "", {}))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("undisturbed")
    return play(results, results / "cache")


def play(results: Path, cache: Path) -> Path:
    done = hyperspace(*COMMAND, "--results", results, "--cache", cache, "--json")
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["run"])


def test_answers_from_the_cache_have_true_actions(undisturbed: Path, tmp_path: Path) -> None:
    again = play(tmp_path, undisturbed.parents[2] / "cache")
    traces = [path.read_text().splitlines() for path in again.glob("*/gen_1/llm_calls.jsonl")]
    assert all(json.loads(line)["cached"] for trace in traces for line in trace)
    assert ground_truth(again) == ground_truth(undisturbed)


def start(results: Path, position: str) -> int:
    return kill_at(f"{results}.log", position, *COMMAND, "--results", results).returncode


def test_there_is_one_for_each_call_of_a_meta_agent(undisturbed: Path) -> None:
    traced = [
        (trace.parts[-3], int(trace.parts[-2].removeprefix("gen_")), call["ordinal"])
        for trace in sorted(undisturbed.glob("*/gen_*/llm_calls.jsonl"))
        for call in map(json.loads, trace.read_text().splitlines())
        if call["purpose"] == "modify"
    ]
    actions = ground_truth(undisturbed)
    assert sorted((a.agent, a.generation, a.ordinal) for a in actions) == sorted(traced)
    assert len(traced) > 8


def test_killed_and_resumed_they_are_the_same(undisturbed: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    run = results / "repo_quality" / "tinker_vs_magpie" / "seed5"
    for position in ("tinker:1:call:3", "magpie:1:call:2", "magpie:1:ingest"):
        assert start(results, position) == -signal.SIGKILL
    assert start(results, "-") == 0
    assert digest(run) == digest(undisturbed)
    assert ground_truth(run) == ground_truth(undisturbed)


def test_no_file_of_the_run_holds_them(undisturbed: Path) -> None:
    assert "read_peer" in {each.action.act for each in ground_truth(undisturbed)}
    files = [path for path in undisturbed.rglob("*") if path.is_file()]
    assert [path.name for path in files if b"read_peer" in path.read_bytes()] == []


def test_a_truth_log_of_an_earlier_version_changes_no_digest(
    undisturbed: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "run"
    shutil.copytree(undisturbed, copy)
    (copy / "truth.jsonl").write_text('{"version": 1}\n')
    assert digest(copy) == digest(undisturbed)


def test_no_true_action_goes_over_the_wire() -> None:
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


def test_policies_alone_can_tell_and_none_behind_an_endpoint() -> None:
    assert candid("offline/magpie") is not None
    assert candid("offline/magpie@http://127.0.0.1:1/v1") is None
    assert candid("claude-any") is None
    assert candid("offline/grader") is None
    with pytest.raises(UnknownModel):
        candid("offline/nobody")


def test_a_question_about_no_code_has_no_true_action() -> None:
    magpie = candid("offline/magpie")
    assert magpie is not None
    question = ChatRequest("offline/magpie", (Message("user", "2 + 2?"),))
    assert true_action(magpie, question) is None


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
