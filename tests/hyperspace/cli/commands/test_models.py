import json
import os
from pathlib import Path

import pytest

from tests.support.command import failed, hyperspace
from tests.support.servers.faulty_server import faulty_server
from tests.support.servers.wires import anthropic_message, completion, json_answer, response

CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(name)


@pytest.mark.long
def test_it_tells_which_keys_are_set_and_never_shows_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(f"DEEPSEEK_API_KEY={CANARY}\n")
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    done = hyperspace("models", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    found = {row["provider"]: row for row in told["providers"]}
    assert [name for name, row in found.items() if row["key_set"]] == ["anthropic", "deepseek"]
    assert found["anthropic"]["base_url"] == "http://127.0.0.1:9"
    assert found["fireworks"]["sdk"].startswith("fireworks-ai 1.")
    assert "offline/tinker" in told["offline"]
    table = hyperspace("models", cwd=tmp_path)
    assert "ANTHROPIC_API_KEY" in table.stdout
    assert CANARY not in done.stdout + done.stderr + table.stdout + table.stderr


@pytest.mark.long
def test_a_model_is_asked_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    answer = {**response(), **completion(), **anthropic_message()}
    with faulty_server(json_answer(answer)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
        names = (
            "claude-x",
            f"m@{server.url}",
            f"openai-responses:m@{server.url}",
            "offline/tinker",
        )
        done = hyperspace("models", "--json", "--ping", *names, cwd=tmp_path)
        assert server.paths == ["/v1/messages", "/v1/chat/completions", "/v1/responses"]
    assert done.returncode == 0, done.stderr
    pings = json.loads(done.stdout)["pings"]
    assert [(ping["name"], ping["ok"]) for ping in pings] == [(name, True) for name in names]
    assert pings[0]["said"] == "'hello' from claude-2026"


@pytest.mark.long
def test_every_provider_with_a_key_is_asked_for_its_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    monkeypatch.setenv("FIREWORKS_API_KEY", CANARY)
    refused = json_answer({"error": {"message": f"bad key {CANARY}"}}, 401)
    with faulty_server(json_answer({"data": []}), refused) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
        monkeypatch.setenv("FIREWORKS_BASE_URL", server.root)
        done = hyperspace("models", "--ping", cwd=tmp_path)
    assert done.returncode == 1
    last = done.stdout.splitlines()[-2:]
    assert last[0].startswith("ok     anthropic: it answers")
    assert last[1].startswith("FAILED fireworks: ")
    assert CANARY not in done.stdout + done.stderr


def test_a_broken_file_of_keys_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY {CANARY}\n")
    message = failed(hyperspace("models", cwd=tmp_path), 2)
    assert "line 1" in message
    assert CANARY not in message
