"""A server nearby says what it runs, and what it says bounds what it is asked for."""

from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.lookup.resolve import resolve
from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.local_server import ServerFacts, facts_of, is_asked_for_facts, pages_of
from hyperspace.models.policy.retrying import Patience
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
    props = {"/props": PROPS}
    assert facts_of("m", LISTING, props) == ServerFacts(1024, has_tools=False, weights=weights)
    assert facts_of("m", {"data": [{"id": "m", "max_model_len": 4096}]}, {}).window == 4096
    two = {"data": [{"id": "a", "max_model_len": 1000}, {"id": "b", "max_model_len": 2000}]}
    assert facts_of("b", two, {}).window == 2000
    assert facts_of("c", two, {}) == ServerFacts()


def test_what_ollama_says_is_read() -> None:
    details = {"family": "qwen2", "parameter_size": "494.03M", "quantization_level": "Q4_K_M"}
    shown = {
        "details": details,
        "capabilities": ["completion"],
        "parameters": "top_k 5\nnum_ctx  2048",
    }
    loaded = {"models": [{"name": "qwen2.5:0.5b", "model": "qwen2.5:0.5b", "context_length": 4096}]}
    weights = "qwen2.5:0.5b, 494.03M parameters, Q4_K_M"
    said = facts_of("qwen2.5:0.5b", None, {"/api/show": shown, "/api/ps": loaded})
    assert said == ServerFacts(4096, has_tools=False, weights=weights), "what was allocated"
    said = facts_of("qwen2.5:0.5b", None, {"/api/show": shown, "/api/ps": {"models": []}})
    assert said.window == 2048, "what its parameters ask for"
    with_tools = shown | {"capabilities": ["completion", "tools"], "parameters": ""}
    said = facts_of("qwen2.5:0.5b", None, {"/api/show": with_tools, "/api/ps": {"models": []}})
    assert (said.window, said.has_tools) == (0, True)


def test_what_lm_studio_says_is_read() -> None:
    entry = {
        "key": "google/gemma-3-270m",
        "quantization": {"name": "Q4_0", "bits_per_weight": 4},
        "size_bytes": 241410208,
        "params_string": "270M",
        "loaded_instances": [
            {"id": "a", "config": {"context_length": 1000}},
            {"id": "b", "config": {"context_length": 2000}},
        ],
        "max_context_length": 32768,
    }
    pages = {"/api/v1/models": {"models": [{"key": "other"}, entry]}}
    weights = "gemma-3-270m, 270M parameters, 241,410,208 bytes, Q4_0"
    assert facts_of("google/gemma-3-270m", None, pages) == ServerFacts(1000, weights=weights)
    assert facts_of("b", None, pages).window == 2000, "an instance has a name of its own"
    assert facts_of("c", None, pages) == ServerFacts()


NAMES = """data meta id n_ctx n_params chat_template_caps default_generation_settings models key
loaded_instances config context_length details capabilities parameters quantization"""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["m"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON, st.fixed_dictionaries(dict.fromkeys(pages_of("m"), JSON)))
def test_whatever_a_server_says_makes_facts(listing: Any, pages: dict[str, Any]) -> None:
    facts = facts_of("m", listing, pages)
    assert facts.window >= 0
    assert len(facts.weights) < 1000 and facts.weights.isprintable()


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
    answers = [json_answer(body) for body in (LISTING, completion())]
    with faulty_server(*answers) as server:
        server.pages["/props"] = json_answer(PROPS)
        reply = await checked(server, LOOP)
        assert server.paths == ["/v1/models", "/props", "/v1/chat/completions"]
        body = server.asked[-1][0]
    assert reply.text == "hello"
    assert "tools" not in body and "bash" in body["messages"][0]["content"]

    with faulty_server(*answers) as server:
        server.pages["/props"] = json_answer(PROPS)
        await checked(server, HELLO)
        assert 800 < server.asked[-1][0]["max_tokens"] < 1024


@pytest.mark.anyio
async def test_a_server_that_says_nothing_is_asked_as_before() -> None:
    nothing = json_answer({"error": "no"}, 404)
    with faulty_server(nothing, json_answer(completion())) as server:
        assert (await checked(server, HELLO)).text == "hello"
        assert server.asked[-1][0]["max_tokens"] == 16_384


@pytest.mark.anyio
async def test_ollama_is_asked_by_name_and_told_by_its_reply() -> None:
    nothing = json_answer({"error": "no"}, 404)
    shown = {"details": {"parameter_size": "1B"}, "parameters": "num_ctx 2048"}
    with faulty_server(nothing, json_answer(completion())) as server:
        server.pages["/api/show"] = json_answer(shown)
        reply = await checked(server, HELLO)
        assert ({"model": "m"}, "/api/show") in zip(
            [body for body, _ in server.asked], server.paths, strict=True
        )
    assert reply.window == 2048


@pytest.mark.anyio
async def test_a_server_that_takes_its_time_holds_a_run_up_for_a_second() -> None:
    with faulty_server(json_answer(LISTING), json_answer(completion())) as server:
        server.pages["/props"] = Prepared(200, b"{}", stall_s=3.0)
        start = anyio.current_time()
        assert (await checked(server, HELLO)).text == "hello"
        assert anyio.current_time() - start < 2.5


LISTS = {
    "fails": json_answer({"error": "x"}, 500),
    "a page": Prepared(200, b"<html><body>hello</body></html>"),
    "half": Prepared(200, b'{"data": [{"id": '),
    "brackets": Prepared(200, b"[" * 100_000),
    "text": json_answer("models"),
    "silence": Prepared(200, b"{}", stall_s=20.0),
    "drips": Prepared(200, b"{}" + b" " * 2_000, drip_s=0.5),
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", LISTS)
async def test_a_list_that_nobody_can_read_is_no_reason_not_to_ask(name: str) -> None:
    with faulty_server(json_answer(completion())) as server:
        server.pages["/v1/models"] = LISTS[name]
        start = anyio.current_time()
        assert (await checked(server, HELLO)).text == "hello"
        assert anyio.current_time() - start < 12
