"""`hyperspace rubric`: drafts by scripted models over real HTTP, and what becomes of them."""

import json
import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hyperspace.tasks.knowledge_qa.rubric import Fact, read_rubric
from tests.support.command import HYPERSPACE, failed, finished, hyperspace
from tests.support.paths import ROOT
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server
from tests.support.servers.wires import completion, json_answer

KNOWLEDGE = "The harbour opens at six. A pilot costs 80 crowns.\n"
QUESTIONS = ("When does it open?", "What is a pilot?", "Who swims?")
GOOD = [
    {"fact": "It opens at six.", "weight": 3, "quote": "opens at six"},
    {"fact": "It is the harbour.", "weight": 1, "quote": "The  harbour"},
]

pytestmark = pytest.mark.long


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "knowledge.md").write_text(KNOWLEDGE)
    (tmp_path / "knowledge_qa.csv").write_text("\n".join(("Question", *QUESTIONS)) + "\n")
    return tmp_path


@contextmanager
def serving(*replies: Prepared) -> Generator[FaultyServer]:
    """Serve a list of models, which is asked for first, then replies."""
    with faulty_server(json_answer({"data": []}), *replies) as server:
        yield server


def asked_of(server: FaultyServer) -> list[list[dict[str, str]]]:
    """The messages of each question."""
    return [body["messages"] for body, _ in server.asked if "messages" in body]


def says(reply: Any) -> Prepared:
    text = reply if isinstance(reply, str) else f"Here:\n```json\n{json.dumps(reply)}\n```"
    return json_answer(completion(text))


def drafted(folder: Path, url: str, *options: str) -> Any:
    done = hyperspace("rubric", folder, "--model", f"m@{url}", "--json", *options)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_a_draft_waits_for_a_person_and_then_is_played(folder: Path) -> None:
    with serving(says(GOOD)) as server:
        told = drafted(folder, server.url)
        asked = [messages[0]["content"] for messages in asked_of(server)]
    assert (told["drafted"], told["facts"], told["unreviewed"], told["calls"]) == (3, 6, 6, 3)
    assert told["failed"] == {}
    assert all(KNOWLEDGE.strip() in prompt for prompt in asked)
    facts = read_rubric(folder / "rubric.csv")
    assert {fact.question for fact in facts} == set(QUESTIONS)
    assert facts[1] == Fact(facts[0].question, "It is the harbour.", 1, "The harbour")
    play = (
        *("solo", "--domain", "knowledge_qa", "--data", folder, "--model", "offline/stuck"),
        *("--eval-model", "offline/examiner", "--judge", "offline/examiner", "--no-controls"),
        *("--iterations", "1", "--results", folder / "results", "--json"),
    )
    assert "nobody has agreed to 6 facts" in failed(hyperspace(*play), 2)
    path = folder / "rubric.csv"
    path.write_text(path.read_text().replace(",no\n", ",yes\n"))
    done = hyperspace(*play)
    finished(done)
    trace = next(folder.glob("results/**/gen_0/llm_calls.jsonl")).read_text()
    assert "/judge" in trace


def test_a_reply_that_cannot_be_used_is_asked_for_once_more(folder: Path) -> None:
    invented = [{"fact": "It opens at five.", "weight": 3, "quote": "opens at five"}]
    with serving(says(invented), says(GOOD)) as server:
        told = drafted(folder, server.url)
        second = asked_of(server)[1]
    assert [message["role"] for message in second] == ["user", "assistant", "user"]
    assert "'opens at five' does not stand in what is known" in second[-1]["content"]
    assert (told["drafted"], told["calls"]) == (3, 4)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I would rather not.", "it is no JSON array of facts"),
        ([], "it has 0 facts, and 1 to 6 are wanted"),
        ([GOOD[0]] * 7, "it has 7 facts"),
        ([GOOD[0]] * 2, "two facts are the same"),
        ([{**GOOD[0], "weight": 9}], "a weight is 1, 2 or 3"),
        ([{**GOOD[0], "fact": "x" * 301}], "a fact has 1 to 300 characters"),
        ([{**GOOD[0], "more": 1, "weight": "3"}], "it is no JSON array of facts"),
        ("[" * 100_000, "it is no JSON array of facts"),
    ],
)
def test_a_question_that_gets_no_facts_is_named_and_the_others_are_kept(
    folder: Path, reply: Any, why: str
) -> None:
    with serving(says(reply), says(reply), says(GOOD)) as server:
        done = hyperspace("rubric", folder, "--model", f"m@{server.url}", "--json")
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    ((question, said),) = told["failed"].items()
    assert why in said
    assert question not in {fact.question for fact in read_rubric(folder / "rubric.csv")}
    assert told["drafted"] == 2
    with serving(says(GOOD)) as server:
        again = drafted(folder, server.url)
        assert len(asked_of(server)) == 1
    assert (again["drafted"], again["calls"]) == (1, 5)


def test_what_a_person_wrote_is_never_touched(folder: Path) -> None:
    own = 'Question,Fact,Weight,Quote,Reviewed\r\nWho swims?,"Nobody, they say",2,,Yes'
    path = folder / "rubric.csv"
    path.write_bytes(own.encode())
    with serving(says(GOOD)) as server:
        assert drafted(folder, server.url)["drafted"] == 2
    assert path.read_bytes().startswith(own.encode() + b"\n")
    first, *others = read_rubric(path)
    assert first == Fact("Who swims?", "Nobody, they say", 2, "", reviewed=True)
    assert len(others) == 4


def test_after_a_kill_the_same_command_asks_what_is_left(folder: Path) -> None:
    with serving(says(GOOD), says(GOOD), Prepared(200, b" " * 99, drip_s=1)) as server:
        command = [*HYPERSPACE, "rubric", str(folder), "--model", f"m@{server.url}"]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(command, stderr=subprocess.PIPE, env=env) as process:
            assert process.stderr is not None
            assert b"1/3" in process.stderr.readline()
            assert b"2/3" in process.stderr.readline()
            process.send_signal(signal.SIGKILL)
    assert len(read_rubric(folder / "rubric.csv")) == 4
    with serving(says(GOOD)) as server:
        assert drafted(folder, server.url)["drafted"] == 1
        assert len(asked_of(server)) == 1


def test_limits_hold_and_the_same_command_goes_on(folder: Path) -> None:
    with serving(says(GOOD)) as server:
        name = f"m@{server.url}"
        limited = hyperspace("rubric", folder, "--model", name, "--max-calls", "1")
        assert "limit" in failed(limited, 1)
        assert len(asked_of(server)) == 1
        assert "limit" in failed(hyperspace("rubric", folder, "--model", name), 1)
        assert drafted(folder, server.url, "--max-calls", "none")["drafted"] == 2


def test_money_is_limited_only_where_a_price_is_known(folder: Path) -> None:
    name = "m@https://models.invalid/v1"
    message = failed(hyperspace("rubric", folder, "--model", name, "--max-usd", "1"), 2)
    assert "so --max-usd cannot be kept" in message


def test_a_folder_that_lacks_what_is_needed_is_left_alone(tmp_path: Path) -> None:
    message = failed(hyperspace("rubric", tmp_path, "--model", "offline/examiner"), 2)
    assert "is missing" in message
    assert list(tmp_path.iterdir()) == []
