"""Agents ask, people answer: the tool, the answer where it is waited for, and where it is not."""

import signal
from pathlib import Path

import pytest

from tests.support.command import hyperspace
from tests.support.runs.steered import SteeredPair, read_until
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]

ASKS = """
import pathlib
from agent.tools import load_tools

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        tools = load_tools()
        said = pathlib.Path(repo_path, "principal", "messages.jsonl")
        text = said.read_text() if said.exists() else ""
        if iterations_left == 1:
            asked = {"question": "Which \\x1b[2J column?", "blocking": "BLOCKING"}
            text += tools["need"].run(asked)
        task = pathlib.Path(repo_path, "task_agent.py")
        task.write_text(task.read_text() + f"# {text!r}\\n")
"""


def asking(tmp_path: Path, blocking: str) -> SteeredPair:
    initial = tmp_path / "initial"
    initial.mkdir()
    (initial / "meta_agent.py").write_text(ASKS.replace("BLOCKING", blocking))
    return SteeredPair(tmp_path / "results", "--initial", initial, "--needs")


def code(pair: SteeredPair, agent: str, generation: int) -> str:
    return (pair.path / agent / f"gen_{generation}" / "repo" / "task_agent.py").read_text()


def need_of(pair: SteeredPair, agent: str) -> str:
    (need,) = [need for need in pair.listed()["needs"] if need["agent"] == agent]
    return str(need["id"])


def test_an_agent_waits_for_the_answer_and_the_run_replays(tmp_path: Path) -> None:
    pair = asking(tmp_path, "yes")
    with pair.command() as process:
        for agent in ("tinker", "magpie"):
            told = read_until(process, f"{agent} gen 1 waits for an answer")
            assert "\x1b" not in told
            shown = hyperspace("steer", pair.path, "needs").stdout
            assert f"{agent} gen 1 waits for an answer" in shown
            assert "\x1b" not in shown
            assert "column?" in hyperspace("watch", pair.path, "--once").stdout
            pair.steer("answer", need_of(pair, agent)[:8], f"the third, {agent}")
        process.communicate(timeout=300)
    assert process.returncode == 0
    assert "The answer: the third, tinker" in code(pair, "tinker", 1)
    assert "principal" not in code(pair, "tinker", 2), "an answer is given once"
    assert {mark["effect"] for mark in pair.listed()["marks"]} == {"applied"}
    assert "answered: the third, magpie" in hyperspace("steer", pair.path, "needs").stdout
    pair.assert_replays()
    pair.assert_audited()


def test_an_answer_that_nobody_waits_for_lies_in_the_next_workspace(tmp_path: Path) -> None:
    pair = asking(tmp_path, "no")
    pair.play_until("magpie:1:report")
    pair.steer("answer", need_of(pair, "tinker"), "the third")
    pair.play()
    assert "Noted; the answer comes later." in code(pair, "tinker", 1)
    assert "the third" in code(pair, "tinker", 2)
    assert "the third" not in code(pair, "magpie", 2)
    open_ = [need["agent"] for need in pair.listed()["needs"] if need["answer"] is None]
    assert open_ == ["magpie"]
    pair.assert_replays()
    pair.assert_audited()


def test_killed_while_it_waits_the_question_is_asked_once_and_an_answer_is_kept(
    tmp_path: Path,
) -> None:
    pair = asking(tmp_path, "yes")
    for _ in range(2):
        with pair.command() as process:
            read_until(process, "tinker gen 1 waits for an answer")
            process.send_signal(signal.SIGKILL)
    pair.steer("answer", need_of(pair, "tinker"), "while nobody plays")
    pair.play_until("tinker:1:gate")
    with pair.command() as process:
        read_until(process, "magpie gen 1 waits for an answer")
        pair.steer("answer", need_of(pair, "magpie"), "now")
        process.communicate(timeout=300)
    assert process.returncode == 0
    assert "The answer: while nobody plays" in code(pair, "tinker", 1)
    assert len(pair.listed()["needs"]) == 2
    pair.assert_replays()
    pair.assert_audited()


def test_without_the_switch_there_is_no_tool_and_no_question_gets_out(tmp_path: Path) -> None:
    initial = tmp_path / "initial"
    initial.mkdir()
    (initial / "meta_agent.py").write_text(
        ASKS.replace("tools = load_tools()", "from agent.llm_client import _exchange").replace(
            'tools["need"].run(asked)',
            'str(_exchange({"op": "need", "question": "x", "blocking": False}))',
        )
    )
    pair = SteeredPair(tmp_path / "results", "--initial", initial, generations=2)
    pair.play()
    assert "malformed" in code(pair, "tinker", 1)
    assert not (pair.path / "tinker/gen_0/repo/agent/tools/need.py").exists()
    assert pair.listed()["needs"] == []
    assert "malformed request to the broker" in hyperspace("audit", pair.path).stdout
