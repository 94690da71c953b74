import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from hyperspace.messages import ChatReply, ChatRequest, Message, ToolSpec
from hyperspace.offline.policies.tuners import Tinker
from hyperspace.tasks.registry import load
from tests.support.runs.simulation import Generation, Said, answer_here, converse, lay_out, score

DOMAIN = load("repo_quality")
SEED = DOMAIN.seed_files()["task_agent.py"].decode()
TOOLS = (ToolSpec("bash", "", {}), ToolSpec("editor", "", {}))


def work(space: Path, *past: Generation, seed: int = 1, policy: Tinker | None = None) -> Said:
    lay_out(space, DOMAIN, past, [])
    return converse(policy or Tinker(), space, seed)


def code(space: Path) -> str:
    return (space / "task_agent.py").read_text("utf-8")


@pytest.fixture(scope="module")
def first() -> Generation:
    return score(DOMAIN, 0, SEED, answer_here)


def test_it_looks_searches_and_writes_through_the_editor(tmp_path: Path, first: Generation) -> None:
    said = work(tmp_path, first)
    calls = [json.loads(call) for call in said.calls]
    assert calls[0] == {"command": "view", "path": str(tmp_path)}
    assert "metadata.json" in calls[1]["command"]
    assert "END_OF_PROGRAM" in calls[2]["command"]
    assert (calls[-1]["command"], calls[-1]["path"]) == ("str_replace", f"{tmp_path}/task_agent.py")
    assert said.closing.startswith("I changed ")


def test_only_constants_change(tmp_path: Path, first: Generation) -> None:
    work(tmp_path, first)
    old, new = SEED.split("\n"), code(tmp_path).split("\n")
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert changed
    assert all(_without_digits(a) == _without_digits(b) for a, b in changed)


def _without_digits(line: str) -> str:
    return "".join(
        character for character in line if not (character.isdigit() or character in ".e-")
    )


def test_it_leaves_no_other_file_behind(tmp_path: Path, first: Generation) -> None:
    lay_out(tmp_path, DOMAIN, [first], [])
    before = sorted(tmp_path.rglob("*"))
    converse(Tinker(), tmp_path, 1)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.long
def test_equal_seeds_give_equal_code_in_any_folder(tmp_path: Path, first: Generation) -> None:
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        work(tmp_path / folder, first, seed=seed)
    original, same, other = (code(tmp_path / folder) for folder in "abc")
    assert original == same != other


def test_it_goes_back_to_its_best_after_a_clear_loss(tmp_path: Path, first: Generation) -> None:
    worse = replace(first, number=1, val=0.3, code=SEED.replace("3.05", "1.05"))
    said = work(tmp_path, first, worse, policy=Tinker(trials=0))
    assert any("evals/gen_0/task_agent.py" in call for call in said.calls)
    assert code(tmp_path) == SEED


def test_it_goes_on_through_a_small_dip(tmp_path: Path, first: Generation) -> None:
    dip = replace(first, number=1, val=0.6, code=SEED.replace("3.05", "3.15"))
    work(tmp_path, first, dip, policy=Tinker(trials=0))
    assert code(tmp_path) == dip.code


@pytest.mark.long
def test_it_searches_longer_while_nothing_improves(tmp_path: Path, first: Generation) -> None:
    stale = [replace(first, number=number) for number in range(4)]
    assert "try 48 variants" in _search_text(tmp_path / "stale", stale)
    assert "try 12 variants" in _search_text(tmp_path / "fresh", [first])


@pytest.mark.long
def test_its_steps_widen_while_nothing_improves(tmp_path: Path, first: Generation) -> None:
    stale = [replace(first, number=number) for number in range(4)]
    narrow = Tinker(trials=1, spread=0.005, share=1.0)
    fresh_way, stale_way = 0.0, 0.0
    for seed in range(1, 3):
        fresh, waiting = tmp_path / f"fresh{seed}", tmp_path / f"stale{seed}"
        work(fresh, first, seed=seed, policy=replace(narrow, trials=4))
        work(waiting, *stale, seed=seed, policy=narrow)
        fresh_way += _farthest(fresh)
        stale_way += _farthest(waiting)
    assert 0 < 4 * fresh_way < stale_way


def _farthest(space: Path) -> float:
    """How far the constant that moved most was moved, in log space."""
    pairs = zip(*(re.findall(r"\d\.\d+", text) for text in (SEED, code(space))), strict=True)
    return max(abs(math.log(float(new) / float(old))) for old, new in pairs)


def _search_text(space: Path, past: list[Generation]) -> str:
    lay_out(space, DOMAIN, past, [])
    spoken: list[str] = []

    class Listening(Tinker):
        def reply(self, request: ChatRequest) -> ChatReply:
            reply = super().reply(request)
            spoken.append(reply.text)
            return reply

    converse(Listening(), space, 1)
    return "\n".join(spoken)


def test_a_question_that_is_not_about_code_is_answered_like_the_grader() -> None:
    text = "Answer with one of: yes, no.\n{'answer': 'Surely.'}"
    reply = Tinker().reply(ChatRequest("tinker", (Message("user", text),), TOOLS))
    assert reply.text in ("yes", "no")


def test_a_reply_is_a_pure_function_of_the_request() -> None:
    messages = (Message("user", "Modify any part of the code at `/w`."),)
    request = ChatRequest("tinker", messages, TOOLS, seed=3)
    assert Tinker().reply(request) == Tinker().reply(request)
