"""Refused first messages: no candidate's fault where the code is what the run began with."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.command import hyperspace
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.quirk_proxy import Quirk, QuirkProxy, RefusalRule, quirk_proxy
from tests.support.servers.server import serving

pytestmark = [pytest.mark.long, needs_bubblewrap]

REFUSED: Final = "a word that this server refuses"
PICKY: Final = Quirk(
    "picky",
    "",
    refuse=(
        RefusalRule(status=400, body='{"error": {"message": "not a word of it"}}', holds=REFUSED),
    ),
)
META: Final = """
from pathlib import Path

from agent.llm_client import LLMError, chat

WORDS = "{words}"


class MetaAgent:
    def __init__(self, model, **others):
        self.model = model

    def forward(self, repo_path, eval_path, iterations_left=None):
        try:
            told = chat([{{"role": "user", "content": WORDS}}], self.model)["text"]
        except LLMError as error:
            told = f"{{error.kind}}: {{error}}"
        here = Path(repo_path, "task_agent.py")
        here.write_text(here.read_text() + f"\\nTOLD = {{told[:300]!r}}\\n")
        mine = Path(repo_path, "meta_agent.py")
        mine.write_text(mine.read_text().replace('"hello"', '"{later}"'))
"""
TASK: Final = """
from agent.llm_client import LLMError, chat


class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        history = [{{"role": "user", "content": "{words}"}}]
        try:
            chat(history, self.model)
        except LLMError:
            pass
        return "accept", history
"""


@pytest.fixture(scope="module")
def proxy() -> Generator[QuirkProxy]:
    with serving("a=tinker") as server, quirk_proxy(server.url.removesuffix("/v1"), PICKY) as proxy:
        yield proxy


def play(proxy: QuirkProxy, folder: Path, **files: str) -> Any:
    """Play two generations of an agent that starts from some files."""
    code = folder / "initial"
    code.mkdir()
    for name, text in files.items():
        (code / f"{name}.py").write_text(text)
    return hyperspace(
        *("solo", "--model", f"a@{proxy.url(PICKY)}?stream=off", "--domain", "repo_quality"),
        *("--iterations", "2", "--no-controls", "--initial", code, "--eval-samples", "4"),
        *("--results", folder / "results", "--json"),
    )


@pytest.mark.parametrize(
    "files",
    [
        {"meta_agent": META.format(words=REFUSED, later="")},
        {"task_agent": TASK.format(words=REFUSED)},
    ],
    ids=["of the meta agent", "of the task agent"],
)
def test_the_first_message_of_the_first_code_pauses_the_run(
    files: dict[str, str], proxy: QuirkProxy, tmp_path: Path
) -> None:
    for _ in range(2):  # the same command says the same again: nothing was put on record
        done = play(proxy, tmp_path, **files) if _ == 0 else again(tmp_path)
        assert done.returncode == 1, done.stderr
        last = done.stderr.splitlines()[-1]
        assert "not a word of it" in last
        assert "it is the first message of the code that the run began with" in last
    closed = list(tmp_path.glob("results/**/gen_*/metadata.json"))
    assert all(json.loads(path.read_text())["valid"] for path in closed)


def again(folder: Path) -> Any:
    (record,) = folder.glob("results/**/run_config.json")
    return hyperspace("resume", record.parent)


def test_the_first_message_of_evolved_code_is_refused_to_that_code(
    proxy: QuirkProxy, tmp_path: Path
) -> None:
    done = play(proxy, tmp_path, meta_agent=META.format(words="hello", later=REFUSED))
    assert done.returncode == 0, done.stderr
    agent = Path(json.loads(done.stdout)["run"]) / "a"
    assert "bad_request" not in (agent / "gen_1/repo/task_agent.py").read_text()
    told = (agent / "gen_2/repo/task_agent.py").read_text()
    assert "TOLD = 'bad_request: " in told
    assert "not a word of it" in told
    assert "no candidate" not in told
    (call,) = (agent / "gen_2/llm_calls.jsonl").read_text().splitlines()
    assert json.loads(call)["error"]["kind"] == "bad_request"


def test_evolved_code_of_the_task_agent_is_told_too(proxy: QuirkProxy, tmp_path: Path) -> None:
    meta = META.format(words="hello", later="hello").replace(
        "here.write_text(here.read_text()",
        f"here.write_text(here.read_text().replace('hello', {REFUSED!r})",
    )
    done = play(proxy, tmp_path, meta_agent=meta, task_agent=TASK.format(words="hello"))
    assert done.returncode == 0, done.stderr
    agent = Path(json.loads(done.stdout)["run"]) / "a"
    assert json.loads((agent / "gen_1/metadata.json").read_text())["valid"]
    lines = (agent / "gen_1/llm_calls.jsonl").read_text().splitlines()
    calls = [json.loads(line) for line in lines]
    answered = {call["purpose"] for call in calls if not call["error"]}
    assert answered == {"modify"}
