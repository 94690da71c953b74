"""Whatever we add to a request is taken back where a server refuses it: real SDKs, real HTTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from hyperspace.models.anthropic.messages import AnthropicMessages
from hyperspace.models.base import BadRequest, ContextOverflow, FieldRefused
from hyperspace.models.chat.openai import openai_chat
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint, EndpointModel
from hyperspace.models.errors import ModelTarget
from hyperspace.models.names import ModelOptions
from hyperspace.models.request_fields import Adaptation, adaptations_to
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server
from tests.support.servers.wires import (
    LOOP,
    anthropic_message,
    completion,
    json_answer,
)

pytestmark = pytest.mark.anyio
REQUEST = msgspec.structs.replace(LOOP, seed=7, max_tokens=16_384, temperature=0.0)
OK = json_answer(completion())
NO_OPTIONS = ModelOptions()


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def asking(
    server: FaultyServer, options: ModelOptions = NO_OPTIONS, wire: str = "openai"
) -> AsyncGenerator[EndpointModel]:
    target = ModelTarget("m", server.url if wire == "openai" else server.root, "key", "A_KEY")
    endpoint = Endpoint(f"m@{server.url}", target, options)
    model = AnthropicMessages(endpoint)
    if wire == "openai":
        await model.aclose()
        model = openai_chat(endpoint, ChatDialect())
    try:
        yield model
    finally:
        await model.aclose()


def no(message: str, status: int = 400, **fields: Any) -> Prepared:
    return json_answer({"error": {"message": message, **fields}}, status)


def sent(server: FaultyServer, field: str) -> list[Any]:
    return [body.get(field) for body, _ in server.asked]


@pytest.mark.parametrize(
    "refusal",
    [
        no(
            "Unsupported parameter: 'max_tokens' ... use 'max_completion_tokens'",
            param="max_tokens",
        ),
        json_answer({"detail": "max_tokens: extra fields not permitted"}, 422),
        json_answer({"error": "unknown field max_tokens"}),
    ],
)
async def test_a_bound_on_tokens_is_asked_for_by_its_other_name_from_then_on(
    refusal: Prepared,
) -> None:
    with faulty_server(refusal, OK) as server:
        async with asking(server) as model:
            for _ in range(2):
                assert (await model.complete(REQUEST)).text == "hello"
        assert sent(server, "max_tokens") == [16_384, None, None]
        assert sent(server, "max_completion_tokens") == [None, 16_384, 16_384]


async def test_a_bound_by_neither_name_is_left_out() -> None:
    refusals = [no("unknown field max_tokens"), no("unknown field max_completion_tokens")]
    with faulty_server(*refusals, OK) as server:
        async with asking(server) as model:
            reply = await model.complete(REQUEST)
        assert sent(server, "max_tokens") == [16_384, None, None]
        assert sent(server, "max_completion_tokens") == [None, 16_384, None]
    assert reply.left_out == ("max_tokens",)


async def test_a_completion_that_does_not_fit_the_window_is_what_is_left_of_it() -> None:
    full = no(
        "This model's maximum context length is 8192 tokens, you requested 16404 tokens "
        "(20 in the messages, 16384 in the completion)"
    )
    with faulty_server(full, OK) as server:
        async with asking(server) as model:
            for _ in range(2):
                assert (await model.complete(REQUEST)).left_out == ()
        first, second, third = sent(server, "max_tokens")
    assert (first, second) == (16_384, 8_172)
    assert 8_000 < third < 8_192  # asked for at once from then on


async def test_a_window_that_the_prompt_fills_is_an_overflow_and_no_loop() -> None:
    full = no("maximum context length is 8192 tokens, your messages resulted in 9000 tokens")
    with faulty_server(full) as server:
        async with asking(server) as model:
            with pytest.raises(ContextOverflow):
                await model.complete(REQUEST)
        assert len(server.asked) == 1


async def test_several_fields_go_one_after_the_other_and_are_on_record() -> None:
    refusals = [
        json_answer({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs"}]}, 422),
        no("invalid temperature: only 1 is allowed for this model"),
    ]
    adaptations = list[Adaptation]()
    with faulty_server(*refusals, OK) as server, adaptations_to(adaptations.append):
        async with asking(server) as model:
            first = await model.complete(REQUEST)
            second = await model.complete(msgspec.structs.replace(REQUEST, temperature=1.0))
        assert sent(server, "temperature") == [0.0, 0.0, None, 1.0]
    assert set(first.left_out) == {"seed", "temperature"}
    assert second.left_out == ("seed",)
    assert [each.field for each in adaptations] == ["seed", "temperature"]
    assert "left out from now on; the server said" in adaptations[0].text()


async def test_a_model_that_cannot_stream_is_asked_for_whole_replies() -> None:
    cannot = no("'stream' is not supported for this model", param="stream")
    with faulty_server(cannot, OK) as server:
        async with asking(server) as model:
            assert (await model.complete(REQUEST)).text == "hello"
        assert sent(server, "stream") == [True, None]
        assert sent(server, "stream_options") == [{"include_usage": True}, None]


async def test_a_field_that_a_person_asked_for_is_not_dropped_in_silence() -> None:
    refusal = no("temperature is not supported")
    for options, words in (
        (ModelOptions(temperature=0.3), "take temperature= out of the model's name"),
        (ModelOptions(max_tokens=50_000), "write max_tokens=8192 or less in the model's name"),
        (ModelOptions(reasoning_effort="high"), "take reasoning_effort= out of the model's name"),
    ):
        if options.max_tokens:
            refusal = no("max_tokens must be less than or equal to `8192`")
        if options.reasoning_effort:
            refusal = no("Unrecognized request argument supplied: reasoning_effort")
        with faulty_server(refusal) as server:
            async with asking(server, options) as model:
                request = msgspec.structs.replace(REQUEST, max_tokens=None)
                with pytest.raises(FieldRefused, match=words):
                    await model.complete(request)
            assert len(server.asked) == 1


async def test_a_server_that_refuses_everything_is_asked_a_bounded_number_of_times() -> None:
    every = "max_tokens max_completion_tokens seed temperature top_p stream stream_options"
    with faulty_server(no(f"not supported: {every}")) as server:
        async with asking(server) as model:
            with pytest.raises(BadRequest):
                await model.complete(REQUEST)
        assert len(server.asked) <= 8


async def test_temperatures_that_code_makes_up_do_not_end_the_other_ones() -> None:
    refusal = no("temperature is out of range")
    with faulty_server(refusal, OK) as server:
        async with asking(server) as model:
            for temperature in (5.0, 0.5):
                request = msgspec.structs.replace(REQUEST, temperature=temperature)
                assert (await model.complete(request)).text == "hello"
        assert sent(server, "temperature") == [5.0, None, 0.5]


async def test_what_is_on_record_holds_from_the_first_request_on() -> None:
    with faulty_server(OK) as server:
        async with asking(server) as model:
            name = model.name
            model.adapt(Adaptation(model=name, field="seed", remedy="drop"))
            model.adapt(Adaptation(model=name, field="max_tokens", remedy="rename"))
            model.adapt(Adaptation(model="another", field="temperature", remedy="drop"))
            await model.complete(REQUEST)
        body = server.asked[0][0]
    assert ("seed" in body, "max_tokens" in body, body["temperature"]) == (False, False, 0.0)
    assert body["max_completion_tokens"] == 16_384


async def test_a_cache_mark_that_a_gateway_does_not_know_is_left_out() -> None:
    refusal = no("cache_control: Extra inputs are not permitted", type="invalid_request_error")
    with faulty_server(refusal, json_answer(anthropic_message())) as server:
        async with asking(server, wire="anthropic") as model:
            assert (await model.complete(REQUEST)).left_out == ("cache_control",)


async def test_a_refusal_in_a_stream_or_with_the_status_of_a_success_counts_the_same() -> None:
    told = json_answer({"error": {"message": "seed is not supported", "code": 400}})
    with faulty_server(told, OK) as server:
        async with asking(server) as model:
            assert (await model.complete(REQUEST)).left_out == ("seed",)
