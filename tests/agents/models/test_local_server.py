"""A server nearby says what it runs, and what it says bounds what it is asked for."""

from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.lookup.resolve import resolve
from agents.messages import ChatReply, ChatRequest
from agents.models.local_server import ServerFacts, facts_of, is_asked_for_facts
from agents.models.policy.retrying import Patience
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server
from tests.support.servers.wires import HELLO, LOOP, completion, json_answer

PROPS = {
    "default_generation_settings": {"n_ctx": 1024},
    "chat_template_caps": {"supports_tools": False},
}
META = {"n_ctx": 2048, "n_params": 134515008, "size": 98000000, "ftype": "Q4_1"}
LISTING = {"data": [{"id": "m", "meta": META}]}


async def checked(server: FaultyServer, request: ChatRequest) -> ChatReply:
    model = resolve(f"m@{server.url}", environ={}, patience=Patience(outage_s=0.0))
    try:
        await model.check()
        return await model.complete(request)
    finally:
        await model.aclose()


def test_what_servers_say_is_read() -> None:
    weights = "m, 134,515,008 parameters, 98,000,000 bytes, Q4_1"
    assert facts_of("m", PROPS, LISTING) == ServerFacts(1024, has_tools=False, weights=weights)
    assert facts_of("m", None, {"data": [{"id": "m", "max_model_len": 4096}]}).window == 4096
    two = {"data": [{"id": "a", "max_model_len": 1000}, {"id": "b", "max_model_len": 2000}]}
    assert facts_of("b", None, two).window == 2000
    assert facts_of("c", None, two) == ServerFacts()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["data", "meta", "id", "n_ctx", "n_params", "chat_template_caps"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, JSON)
def test_whatever_a_server_says_makes_facts(props: Any, listing: Any) -> None:
    assert facts_of("m", props, listing).window >= 0


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://192.168.1.5:8000/v1", True),
        ("http://[fd00::1]:1", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/v1", False),
    ],
)
def test_only_servers_nearby_are_asked(url: str, expected: bool) -> None:
    assert is_asked_for_facts(url) is expected


@pytest.mark.anyio
async def test_window_and_template_bound_what_is_asked_for() -> None:
    answers = [json_answer(body) for body in (LISTING, PROPS, completion())]
    with faulty_server(*answers) as server:
        reply = await checked(server, LOOP)
        assert server.paths == ["/v1/models", "/props", "/v1/chat/completions"]
        body = server.asked[-1][0]
    assert reply.text == "hello"
    assert "tools" not in body and "bash" in body["messages"][0]["content"]

    with faulty_server(*answers) as server:
        await checked(server, HELLO)
        assert 800 < server.asked[-1][0]["max_tokens"] < 1024


@pytest.mark.anyio
async def test_a_server_that_says_nothing_is_asked_as_before() -> None:
    nothing = json_answer({"error": "no"}, 404)
    with faulty_server(nothing, nothing, json_answer(completion())) as server:
        assert (await checked(server, HELLO)).text == "hello"
        assert server.asked[-1][0]["max_tokens"] == 16_384


@pytest.mark.anyio
async def test_a_server_that_takes_its_time_holds_a_run_up_for_a_second() -> None:
    slow = Prepared(200, b"{}", stall_s=3.0)
    with faulty_server(json_answer(LISTING), slow, json_answer(completion())) as server:
        start = anyio.current_time()
        assert (await checked(server, HELLO)).text == "hello"
        assert anyio.current_time() - start < 2.5
