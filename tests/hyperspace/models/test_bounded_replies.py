"""A reply is not unpacked and has a bounded size, whichever SDK asks for it."""

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from hyperspace.messages import ChatReply
from hyperspace.models.anthropic.messages import AnthropicMessages
from hyperspace.models.base import ProviderDown
from hyperspace.models.bounded_replies import MOST_REPLY_BYTES
from hyperspace.models.chat.fireworks import fireworks_chat
from hyperspace.models.chat.openai import openai_chat
from hyperspace.models.chat.wire import ChatDialect
from hyperspace.models.endpoint_model import Endpoint
from hyperspace.models.errors import ModelTarget
from tests.support.servers.faulty_server import Prepared, faulty_server
from tests.support.servers.wires import HELLO, anthropic_message, completion, json_answer

MAKERS: dict[str, tuple[Callable[[Endpoint], Any], str, Any]] = {
    "openai": (lambda at: openai_chat(at, ChatDialect()), "/v1", completion()),
    "fireworks": (lambda at: fireworks_chat(at, ChatDialect()), "", completion()),
    "anthropic": (AnthropicMessages, "", anthropic_message()),
}
pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("kind", MAKERS)]


async def complete(kind: str, answer: Prepared) -> tuple[ChatReply, dict[str, str]]:
    make, path, _ = MAKERS[kind]
    with faulty_server(answer) as server:
        model = make(Endpoint("n", ModelTarget("m", server.root + path, "sk-key", "A_KEY")))
        try:
            reply = await model.complete(HELLO)
        finally:
            await model.aclose()
        return reply, server.asked[0][1]


async def test_no_packed_reply_is_asked_for(kind: str) -> None:
    reply, headers = await complete(kind, json_answer(MAKERS[kind][2]))
    assert reply.text == "hello"
    assert headers["accept-encoding"] == "identity"


@pytest.mark.long
async def test_a_packed_reply_is_refused_unread(kind: str) -> None:
    packed = gzip.compress(b" " * 40_000_000)
    headers = (("Content-Type", "application/json"), ("Content-Encoding", "gzip"))
    with pytest.raises(ProviderDown, match=r"packed its reply .gzip., and was asked not to"):
        await complete(kind, Prepared(200, packed, headers))


@pytest.mark.long
async def test_a_reply_without_an_end_is_given_up(kind: str) -> None:
    headers = (("Content-Type", "application/json"),)
    with pytest.raises(ProviderDown, match=rf"its reply has over {MOST_REPLY_BYTES} bytes"):
        await complete(kind, Prepared(200, b" " * (MOST_REPLY_BYTES + 1), headers))
