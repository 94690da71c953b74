"""What only the wire of responses has: items, sealed reasoning, and nothing that is stored."""

from collections.abc import AsyncGenerator
from typing import Any

import openai
import pytest

from hyperspace.offline.policies.scripted import ScriptedCall, ScriptedPolicy, ScriptedReply
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer

pytestmark = pytest.mark.anyio
THOUGHT = "I will add."
SCRIPT = [
    ScriptedReply("I add", (ScriptedCall("add", {"x": 1}),), thinking=THOUGHT),
    ScriptedReply("done"),
]
HI: Any = {"role": "user", "content": "hi"}
CALL: Any = {"type": "function_call", "call_id": "x", "name": "add", "arguments": "{}"}
TOOL: Any = {"type": "function", "name": "add", "parameters": {}, "strict": False}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def sdk() -> AsyncGenerator[openai.AsyncOpenAI]:
    brains = ServedPolicies({"gpt-5-codex": ScriptedPolicy(SCRIPT)})
    async with (
        ChatServer(brains).serving() as server,
        openai.AsyncOpenAI(api_key="k", base_url=server.url, max_retries=0) as sdk,
    ):
        yield sdk


async def create(sdk: openai.AsyncOpenAI, *items: Any, **more: Any) -> Any:
    responses: Any = sdk.responses
    fields: dict[str, Any] = {"model": "gpt-5-codex", "input": list(items), "tools": [TOOL]}
    return await responses.create(**(fields | more))


def output(call_id: str) -> Any:
    return {"type": "function_call_output", "call_id": call_id, "output": "2"}


async def test_what_was_said_goes_back_as_it_came_and_the_conversation_goes_on(
    sdk: openai.AsyncOpenAI,
) -> None:
    first = await create(sdk, HI, store=True)
    assert [item.type for item in first.output] == ["reasoning", "message", "function_call"]
    assert (first.output_text, first.status, first.store) == ("I add", "completed", False)
    second = await create(sdk, HI, *first.output, output(first.output[2].call_id))
    assert (second.output_text, second.status) == ("done", "completed")
    assert second.usage.input_tokens_details.cached_tokens == first.usage.input_tokens


async def test_the_sdks_own_way_to_read_a_stream_ends_with_the_whole_response(
    sdk: openai.AsyncOpenAI,
) -> None:
    whole = await create(sdk, HI)
    async with sdk.responses.stream(model="gpt-5-codex", input=[HI], tools=[TOOL]) as events:
        kinds = [event.type async for event in events]
        final = await events.get_final_response()
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert final.output_text == whole.output_text
    assert [item.type for item in final.output] == [item.type for item in whole.output]
    assert final.usage == whole.usage


async def test_a_text_alone_is_a_message_of_the_user(sdk: openai.AsyncOpenAI) -> None:
    texts = await create(sdk, instructions="Be brief.", input="hi")
    items = await create(sdk, {"role": "developer", "content": "Be brief."}, HI)
    assert texts.id == items.id  # ids are made of the conversation


async def test_parts_and_texts_are_the_same_conversation(sdk: openai.AsyncOpenAI) -> None:
    parts = {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    assert (await create(sdk, parts)).id == (await create(sdk, HI)).id
    result = {**output("x"), "output": [{"type": "input_text", "text": "2"}]}
    one, other = [await create(sdk, HI, CALL, end) for end in (result, output("x"))]
    assert one.id == other.id


async def test_reasoning_that_was_changed_or_is_not_sealed_is_refused(
    sdk: openai.AsyncOpenAI,
) -> None:
    first = await create(sdk, HI)
    thought, said, call = [item.model_dump(exclude_unset=True) for item in first.output]
    later = (said, call, output(call["call_id"]))
    changed = {**thought, "summary": [{"type": "summary_text", "text": "something else"}]}
    with pytest.raises(openai.BadRequestError, match="could not be verified") as caught:
        await create(sdk, HI, changed, *later)
    assert caught.value.code == "invalid_encrypted_content"
    bare = {**thought, "encrypted_content": None}
    with pytest.raises(openai.NotFoundError, match="stores nothing"):
        await create(sdk, HI, bare, *later)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"previous_response_id": "resp_1"}, "'resp_1' not found: this server stores nothing"),
    ({"conversation": "conv_1"}, "conversation is not answered: this server stores nothing"),
    ({"background": True}, "background is not answered"),
    ({"prompt": {"id": "pmpt_1"}}, "prompt is not answered"),
    ({"input": []}, "input is empty"),
    ({"input": [HI, output("x")]}, "answers the tool call 'x'"),
    ({"input": [HI, CALL, HI]}, "tool calls without an answer"),
    ({"input": [HI, {"type": "function_call", "name": "add"}]}, "needs call_id, name and"),
    ({"input": [{"type": "item_reference", "id": "x"}]}, "is of type 'item_reference'"),
    ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input_image"),
    ({"tools": [{"type": "web_search"}]}, "web_search"),
    ({"max_output_tokens": 0}, "max_output_tokens is 0; it must be at least 1"),
]


@pytest.mark.parametrize(("more", "said"), REFUSED)
async def test_what_cannot_be_answered_is_refused_in_a_sentence(
    sdk: openai.AsyncOpenAI, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=said) as caught:
        await create(sdk, HI, **more)
    assert caught.value.type == "invalid_request_error"
    assert (caught.value.request_id or "").startswith("req_")


async def test_nothing_is_found_that_was_answered_before(sdk: openai.AsyncOpenAI) -> None:
    first = await create(sdk, HI, store=True)
    with pytest.raises(openai.NotFoundError, match="nothing is at /v1/responses/resp_"):
        await sdk.responses.retrieve(first.id)
