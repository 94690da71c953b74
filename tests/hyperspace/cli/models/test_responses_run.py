"""Whole runs over OpenAI's responses: the same as over chat completions, and after a kill."""

import json
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.command import hyperspace, kill_at
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.quirk_proxy import Quirk, quirk_proxy
from tests.support.servers.server import Server, serving

pytestmark = [
    pytest.mark.long,
    needs_bubblewrap,  # what language models write never runs without a boundary
]
MODEL = "gpt-5-codex"  # by this name alone it is asked for responses, with an address for chat


class World(NamedTuple):
    """A server, and its address behind a proxy that takes away the seed of chat completions."""

    server: Server
    unseeded: str


@pytest.fixture(scope="module")
def world() -> Generator[World]:
    with serving(f"{MODEL}=tinker") as server:
        root = server.url.removesuffix("/v1")
        with quirk_proxy(root) as proxy:
            plain = Quirk("plain", "")
            proxy.quirks = {plain.name: plain}
            yield World(server, proxy.url(plain))


def solo(model: str, results: Path) -> tuple[str, ...]:
    fixed = ("--domain", "repo_quality", "--iterations", "1", "--seed", "1", "--no-controls")
    return ("solo", "--model", model, *fixed, "--results", str(results))


def played(model: str, results: Path) -> Any:
    done = hyperspace(*solo(model, results), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def calls(run: Path) -> list[Any]:
    files = sorted(run.glob("*/gen_1/llm_calls.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def wires(server: Server) -> dict[str, int]:
    return dict(server.stats()["wires"])


def test_a_run_over_responses_is_the_run_over_chat_completions(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = played(f"{MODEL}@{world.unseeded}", tmp_path / "chat")
    before = wires(world.server)
    monkeypatch.setenv("OPENAI_BASE_URL", world.unseeded)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    responses = played(MODEL, tmp_path / "responses")
    after = wires(world.server)
    assert responses["digest"] == chat["digest"]
    assert after["openai"] == before["openai"]
    assert after["openai-responses"] - before.get("openai-responses", 0) == before["openai"]


def test_a_run_that_was_killed_goes_on_and_its_replay_asks_nobody(
    world: World, tmp_path: Path
) -> None:
    model = f"openai-responses:{MODEL}?reasoning_effort=low@{world.server.url}"
    whole = played(model, tmp_path / "whole")
    (tmp_path / "log").touch()
    killed = solo(model, tmp_path / "killed")
    done = kill_at(tmp_path / "log", f"{MODEL}:1:call:2", *killed)
    assert done.returncode == -signal.SIGKILL, done.stderr
    resumed = played(model, tmp_path / "killed")
    assert resumed["digest"] == whole["digest"]
    recorded = calls(Path(resumed["run"]))
    assert recorded[0]["served"]
    assert all("encrypted_content" in call["thoughts"][0]["sealed"] for call in recorded[:-1])
    before = world.server.requests()
    assert hyperspace("replay", resumed["run"]).returncode == 0
    assert world.server.requests() == before
