"""What only Anthropic's wire has: signed thoughts, counts of tokens, stricter conversations."""

from collections.abc import AsyncGenerator
from typing import Any

import anthropic
import pytest

from hyperspace.offline.policies.scripted import ScriptedCall, ScriptedPolicy, ScriptedReply
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer

pytestmark = pytest.mark.anyio
THOUGHT = "I will add."
SCRIPT = [
    ScriptedReply("", (ScriptedCall("add", {"x": 1}),), thinking=THOUGHT),
    ScriptedReply("done", thinking="It is 2."),
]
HI: Any = {"role": "user", "content": "hi"}
THINK: Any = {"type": "enabled", "budget_tokens": 1024}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def sdk() -> AsyncGenerator[anthropic.AsyncAnthropic]:
    brains = ServedPolicies({"claude-sonnet-4-6": ScriptedPolicy(SCRIPT)})
    async with (
        ChatServer(brains).serving() as server,
        anthropic.AsyncAnthropic(api_key="k", base_url=server.root, max_retries=0) as sdk,
    ):
        yield sdk


async def create(sdk: anthropic.AsyncAnthropic, *turns: Any, **more: Any) -> Any:
    fields = {"model": "claude-sonnet-4-6", "max_tokens": 2000, "messages": list(turns)}
    messages: Any = sdk.messages
    return await messages.create(**(fields | more))


def result(call_id: str) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": "2"}
    return {"role": "user", "content": [block, {"type": "text", "text": "go on"}]}


async def test_a_thought_that_comes_back_as_it_was_is_taken(sdk: anthropic.AsyncAnthropic) -> None:
    first = await create(sdk, HI, thinking=THINK)
    assert [block.type for block in first.content] == ["thinking", "tool_use"]
    back = {"role": "assistant", "content": first.content}
    second = await create(sdk, HI, back, result(first.content[1].id), thinking=THINK)
    assert [block.type for block in second.content] == ["thinking", "text"]


async def test_a_thought_that_was_changed_is_refused(sdk: anthropic.AsyncAnthropic) -> None:
    first = await create(sdk, HI, thinking=THINK)
    first.content[0].thinking = "something else"
    back = {"role": "assistant", "content": first.content}
    with pytest.raises(anthropic.BadRequestError, match="invalid `signature` in `thinking`"):
        await create(sdk, HI, back, result(first.content[1].id), thinking=THINK)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"messages": []}, "messages is empty"),
    ({"messages": [{"role": "user", "content": ""}]}, "non-empty content"),
    (
        {"messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]},
        "text content blocks must be non-empty",
    ),
    ({"messages": [HI, result("x")]}, "answers the tool call 'x'"),
    (
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "x", "name": "add", "input": {}}],
                },
                HI,
            ]
        },
        "tool calls without an answer before messages",
    ),
    ({"messages": [{"role": "user", "content": [{"type": "image"}]}]}, "image"),
    ({"max_tokens": 0}, "must be at least 1"),
    ({"thinking": {"type": "enabled", "budget_tokens": 9}}, "budget_tokens is 9"),
    ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, "below max_tokens"),
]


@pytest.mark.parametrize(("more", "said"), REFUSED)
async def test_what_the_provider_refuses_is_refused(
    sdk: anthropic.AsyncAnthropic, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(anthropic.BadRequestError, match=said) as caught:
        await create(sdk, HI, **more)
    assert caught.value.type == "invalid_request_error"
    assert (caught.value.request_id or "").startswith("req_")


async def test_a_count_of_tokens_is_what_the_message_then_takes(
    sdk: anthropic.AsyncAnthropic,
) -> None:
    count = await sdk.messages.count_tokens(
        model="claude-sonnet-4-6", system="Be brief.", messages=[HI]
    )
    message = await create(sdk, HI, system="Be brief.")
    assert count.input_tokens == message.usage.input_tokens == len("Be brief.hi") // 4


async def test_models_are_listed_in_its_own_shape(sdk: anthropic.AsyncAnthropic) -> None:
    names = [model.id async for model in sdk.models.list()]
    assert names[:2] == ["claude-sonnet-4-6", "tinker"]
    assert (await sdk.models.retrieve("claude-sonnet-4-6")).display_name == "claude-sonnet-4-6"
    with pytest.raises(anthropic.NotFoundError):
        await sdk.models.retrieve("nope")
