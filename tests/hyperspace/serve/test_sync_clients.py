"""A server in a thread beside synchronous code, asked by the SDKs' synchronous clients."""

from collections.abc import Iterator
from typing import Any

import anthropic
import fireworks
import openai
import pytest

from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer

HI: Any = {"role": "user", "content": "hi"}
KIMI = "accounts/fireworks/routers/kimi-k2p5-turbo"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(ServedPolicies.from_specs(["*=grader"])).running() as server:
        yield server


def test_all_three_are_answered(server: ChatServer) -> None:
    with openai.OpenAI(base_url=server.url, api_key="k") as gpt:
        completion = gpt.chat.completions.create(model="gpt-5.2", messages=[HI])
        assert gpt.models.retrieve(KIMI).id == KIMI
    with anthropic.Anthropic(base_url=server.root, api_key="k") as claude:
        two: Any = claude.messages.create(model="claude-x", max_tokens=99, messages=[HI])
    with fireworks.Fireworks(base_url=server.fireworks_url, api_key="k") as kimi:
        three: Any = kimi.chat.completions.create(model=KIMI, messages=[HI])
        four: Any = kimi.messages.create(model=KIMI, max_tokens=99, messages=[HI])
    assert completion.choices[0].message.content == three.choices[0].message.content
    assert two.content[0].text == four.content[0].text == completion.choices[0].message.content
    assert server.stats.snapshot()["wires"] == {"openai": 1, "anthropic": 2, "fireworks": 1}


def test_the_addresses_that_serve_prints_are_followed_by_the_sdks_themselves(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
    monkeypatch.setenv("FIREWORKS_BASE_URL", server.fireworks_url)
    with openai.OpenAI(api_key="k", max_retries=0) as gpt:
        gpt.chat.completions.create(model="gpt-5.2", messages=[HI])
    with anthropic.Anthropic(api_key="k", max_retries=0) as claude:
        claude.messages.create(model="claude-x", max_tokens=99, messages=[HI])
    with fireworks.Fireworks(api_key="k", max_retries=0) as kimi:
        kimi.chat.completions.create(model=KIMI, messages=[HI])
    assert server.stats.snapshot()["wires"] == {"openai": 1, "anthropic": 1, "fireworks": 1}


def test_a_fireworks_client_of_another_base_url_is_known_by_its_name(server: ChatServer) -> None:
    with fireworks.Fireworks(base_url=server.root, account_id="me", api_key="k") as kimi:
        kimi.chat.completions.create(model=KIMI, messages=[HI])
        names = [model.name for model in kimi.models.list()]
    assert KIMI in names
    assert server.stats.snapshot()["wires"] == {"fireworks": 1}
