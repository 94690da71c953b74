import json
from pathlib import Path
from typing import Any

import pytest

from hyperspace.broker.broker import Broker
from hyperspace.tracing.traces import Recorder, read_trace
from hyperspace.workspace.seed_code import runtime_files, seed_files
from tests.support.agent_workspace import (
    MODEL,
    bash,
    calls,
    make_workspace,
    run_inside,
    says,
    scripted,
)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("said", "prediction"),
    [
        ('<json>{"response": "yes"}</json>', "yes"),
        ('first <json>{"response": 1}</json> then <json>\n{"response": 2}\n</json> end', "2"),
        ('<json>{"response": "a </json> b <json> c"}</json>', "a </json> b <json> c"),
        ('<json>{"response": "kept"}</json> <json>{broken</json>', "kept"),
        ('<json><json>{"response": "inner"}</json></json>', "inner"),
        ('<json>{"response": null}</json>', "None"),
        ('<json>{"response": "unclosed"}', "None"),
        ('<json>{"answer": "other key"}</json>', "None"),
        ("<json>[1]</json>", "None"),
        ("no tags at all", "None"),
        ("", "None"),
    ],
)
async def test_the_prediction_is_the_last_response_between_tags(
    tmp_path: Path, said: str, prediction: str
) -> None:
    make_workspace(tmp_path)
    code = f"from task_agent import extract_response\nprint(extract_response({said!r}))"
    assert await run_inside(tmp_path, code) == f"{prediction}\n"


@pytest.mark.anyio
async def test_the_task_agent_asks_once_without_tools_and_shows_the_inputs(tmp_path: Path) -> None:
    code = (
        "import json; from task_agent import TaskAgent\n"
        f"agent = TaskAgent({MODEL!r}, log_file='log')\n"
        "print(json.dumps(agent.forward({'x': 'a \"b\"', 'n': 1})))"
    )
    prediction, history = await run_seed(tmp_path, code, says('<json>{"response": "ok"}</json>'))
    assert prediction == "ok"
    assert [message["role"] for message in history] == ["user", "assistant"]
    assert str({"x": 'a "b"', "n": 1}) in history[0]["content"]
    (call,) = read_trace(tmp_path / "calls.jsonl").calls
    assert (call.tools, call.temperature) == ([], None)
    logged = (tmp_path / "w/log").read_text().splitlines()
    assert [json.loads(line) for line in logged] == history


@pytest.mark.anyio
async def test_the_meta_agent_is_told_one_sentence_and_can_change_its_own_code(
    tmp_path: Path,
) -> None:
    code = (
        "import json; from meta_agent import MetaAgent\n"
        f"print(json.dumps(MetaAgent({MODEL!r}).forward('/w', '/w/evals', iterations_left=3)))"
    )
    edit = calls(bash("echo '# better' >> meta_agent.py"))
    history = await run_seed(tmp_path, code, edit, says("done"))
    assert history[0] == {"role": "user", "content": "Modify any part of the code at `/w`."}
    assert (tmp_path / "w/meta_agent.py").read_text().endswith("# better\n")


async def run_seed(folder: Path, code: str, *replies: Any) -> Any:
    make_workspace(folder / "w")
    with Recorder(folder / "calls.jsonl") as recorder:
        async with Broker(scripted(*replies), recorder) as broker:
            return json.loads(await run_inside(folder / "w", code, broker))


def test_the_files_are_what_a_workspace_needs() -> None:
    assert list(seed_files()) == ["meta_agent.py", "task_agent.py"]
    assert {"agent/__init__.py", "agent/llm_client.py", "agent/tools/bash.py"} <= set(
        runtime_files()
    )
    assert all(path.startswith("agent/") for path in runtime_files())


def test_callers_get_copies_of_their_own() -> None:
    seed_files().clear()
    assert seed_files()
