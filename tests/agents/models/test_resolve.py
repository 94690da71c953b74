import subprocess
import sys

import pytest

from agents.messages import ChatReply, ChatRequest, Message, ToolCall
from agents.models.base import BadRequest, UnknownModel
from agents.models.offline import OfflineModel
from agents.models.resolve import resolve
from agents.models.retry import Retrying
from agents.offline.scripted import ScriptedPolicy, ScriptedReply


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def test_an_offline_policy_is_found_with_its_options() -> None:
    model = resolve("offline/tinker?trials=20")
    assert (model.name, model.offline) == ("offline/tinker?trials=20", True)


def test_an_endpoint_is_wrapped_in_retries() -> None:
    model = resolve("org/m@http://127.0.0.1:1/v1", environ={})
    assert isinstance(model, Retrying)
    assert (model.name, model.offline) == ("org/m@http://127.0.0.1:1/v1", False)


@pytest.mark.parametrize("name", ["", "gpt-5", "offline", "@http://127.0.0.1:1/v1", "m@ftp://h"])
def test_an_unknown_name_says_what_there_is(name: str) -> None:
    with pytest.raises(UnknownModel, match=r"offline/tinker.*NAME@http://HOST:PORT/v1"):
        resolve(name)


def test_an_unknown_policy_says_which_there_are() -> None:
    with pytest.raises(UnknownModel, match="tinker"):
        resolve("offline/nope")


def test_resolving_an_offline_model_loads_no_sdk() -> None:
    code = (
        "import sys; from agents.models.resolve import resolve; resolve('offline/tinker');"
        "print([name for name in ('openai', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.anyio
async def test_an_offline_model_counts_characters_and_costs_nothing() -> None:
    model = OfflineModel("offline/s", ScriptedPolicy([ScriptedReply(text="x" * 40)]))
    request = ChatRequest("offline/s", (Message("user", "y" * 399),))
    reply = await model.complete(request)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (99, 10)
    assert (reply.cost_usd, reply.model) == (0.0, "offline/s")
    assert await model.complete(request) == reply


class _Confused:
    def reply(self, request: ChatRequest) -> ChatReply:
        return ChatReply(request.messages[5].content)


@pytest.mark.anyio
async def test_a_conversation_that_confuses_a_policy_does_not_end_the_run() -> None:
    messages = (Message("assistant", tool_calls=(ToolCall("", "", ""),)),)
    with pytest.raises(BadRequest, match="cannot answer this conversation"):
        await OfflineModel("offline/c", _Confused()).complete(ChatRequest("offline/c", messages))
