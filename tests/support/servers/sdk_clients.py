"""The real SDKs on each of their wires, asked the same things in each one's own words."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple, Protocol

import anthropic
import fireworks
import httpx
import httpx2
import openai
import pytest

from hyperspace.serve.server import ChatServer

TIMEOUT_S: Final = 60.0
WIRES: Final = ("openai", "openai-responses", "anthropic", "fireworks")
SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {"x": {"type": "integer"}}}
Turn = dict[str, Any]
# At [DONE] the SDKs leave their generators unfinished, which trio reports.
UNFINISHED_STREAMS: Final = pytest.mark.filterwarnings(
    r"ignore:Async generator '(openai|fireworks|httpx2?|httpcore2?)\.:ResourceWarning"
)


class Seen(NamedTuple):
    """What a client saw of a reply.

    Attributes:
        text: Visible text.
        calls: Name and arguments of each tool call.
        finish: Reason to stop, as the provider says it.
        thinking: Reasoning text.
        tokens: Prompt, completion, cached, cache-write and reasoning tokens, as in statistics.
    """

    text: str
    calls: list[tuple[str, Any]]
    finish: str | None
    thinking: str
    tokens: tuple[int, int, int, int, int]


class Client(Protocol):
    async def ask(self, *turns: Turn, stream: bool, think: bool = False, **more: Any) -> Seen: ...


class ChatClient:
    """The openai or the fireworks SDK: both speak chat completions."""

    def __init__(self, sdk: Any, model: str) -> None:
        self._sdk = sdk
        self._model = model

    async def ask(self, *turns: Turn, stream: bool, think: bool = False, **more: Any) -> Seen:
        function = {"name": "add", "description": "adds", "parameters": SCHEMA}
        fields: dict[str, Any] = {
            "model": self._model,
            "messages": list(turns),
            "tools": [{"type": "function", "function": function}],
            **({"reasoning_effort": "low"} if think else {}),
            **more,
        }
        if not stream:
            return _from_chat(await self._sdk.chat.completions.create(**fields))
        if isinstance(self._sdk, openai.AsyncOpenAI):
            fields["stream_options"] = {"include_usage": True}
        chunks = await self._sdk.chat.completions.create(**fields, stream=True)
        return _from_chunks([chunk async for chunk in chunks])


class ResponsesClient:
    """The openai SDK on the wire of responses."""

    def __init__(self, sdk: openai.AsyncOpenAI, model: str) -> None:
        self._sdk = sdk
        self._model = model

    async def ask(self, *turns: Turn, stream: bool, think: bool = False, **more: Any) -> Seen:
        limit = {"max_output_tokens": more.pop("max_tokens")} if "max_tokens" in more else {}
        function = {"name": "add", "description": "adds", "parameters": SCHEMA, "strict": False}
        fields: Any = {
            "model": self._model,
            "input": list(turns),
            "tools": [{"type": "function", **function}],
            **({"reasoning": {"effort": "low"}} if think else {}),
            **limit,
            **more,
        }
        if not stream:
            return _from_response(await self._sdk.responses.create(**fields))
        events = await self._sdk.responses.create(**fields, stream=True)
        return _from_events([event async for event in events])


class MessagesClient:
    """The anthropic SDK."""

    def __init__(self, sdk: anthropic.AsyncAnthropic, model: str) -> None:
        self._sdk = sdk
        self._model = model

    async def ask(self, *turns: Turn, stream: bool, think: bool = False, **more: Any) -> Seen:
        thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}} if think else {}
        fields: Any = {
            "model": self._model,
            "messages": list(turns),
            "max_tokens": 4096,
            "tools": [{"name": "add", "description": "adds", "input_schema": SCHEMA}],
            **thinking,
            **more,
        }
        if not stream:
            return _from_message(await self._sdk.messages.create(**fields))
        async with self._sdk.messages.stream(**fields) as events:
            async for _ in events:
                pass
            return _from_message(await events.get_final_message())


@asynccontextmanager
async def client(
    wire: str,
    server: ChatServer,
    model: str,
    key: str = "k",
    timeout_s: float = TIMEOUT_S,
    retries: int = 0,
) -> AsyncGenerator[Any]:
    """Open one SDK's client: a single attempt a call, no proxy, both backends of anyio."""
    options: dict[str, Any] = {"api_key": key, "max_retries": retries, "timeout": timeout_s}
    if wire == "fireworks":
        http = httpx.AsyncClient(trust_env=False)
        sdk: Any = fireworks.AsyncFireworks(
            base_url=server.fireworks_url, http_client=http, **options
        )
        made: Client = ChatClient(sdk, model)
    elif wire.startswith("openai"):
        http2 = httpx2.AsyncClient(trust_env=False)
        sdk = openai.AsyncOpenAI(base_url=server.url, http_client=http2, **options)
        made = ChatClient(sdk, model) if wire == "openai" else ResponsesClient(sdk, model)
    else:
        http2 = httpx2.AsyncClient(trust_env=False)
        sdk = anthropic.AsyncAnthropic(base_url=server.root, http_client=http2, **options)
        made = MessagesClient(sdk, model)
    async with sdk:
        yield made


def _from_chat(completion: Any) -> Seen:
    choice = completion.choices[0]
    message = choice.message
    calls = [(c.function.name, c.function.arguments) for c in message.tool_calls or ()]
    thinking = getattr(message, "reasoning_content", None) or ""
    return Seen(
        message.content or "",
        [(name, _parsed(arguments)) for name, arguments in calls],
        choice.finish_reason,
        thinking,
        _chat_tokens(completion.usage),
    )


def _from_chunks(chunks: list[Any]) -> Seen:
    texts: list[str] = []
    thoughts: list[str] = []
    calls: dict[int, list[str]] = {}
    finish, usage = None, None
    for chunk in chunks:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            finish = choice.finish_reason or finish
            texts.append(choice.delta.content or "")
            thoughts.append(getattr(choice.delta, "reasoning_content", None) or "")
            for call in choice.delta.tool_calls or ():
                calls.setdefault(call.index, []).extend(
                    (call.function.name or "", call.function.arguments or "")
                )
    made = [(parts[0], _parsed("".join(parts[1:]))) for _, parts in sorted(calls.items())]
    return Seen("".join(texts), made, finish, "".join(thoughts), _chat_tokens(usage))


def _from_response(response: Any) -> Seen:
    text, calls, thinking = "", list[tuple[str, Any]](), ""
    for item in response.output:
        match item.type:
            case "function_call":
                calls.append((item.name, _parsed(item.arguments)))
            case "message":
                text += "".join(getattr(part, "text", "") for part in item.content)
                text += "".join(getattr(part, "refusal", "") for part in item.content)
            case _:
                thinking += "".join(part.text for part in item.summary)
    return Seen(text, calls, _end(response), thinking, _response_tokens(response.usage))


def _from_events(events: list[Any]) -> Seen:
    """What a client makes of the events alone; the last one has reason and tokens."""
    assert [event.sequence_number for event in events] == list(range(len(events)))
    texts: dict[str, str] = {"output_text": "", "refusal": "", "reasoning_summary_text": ""}
    names, arguments = dict[int, str](), dict[int, str]()
    for event in events:
        subject, _, step = event.type.removeprefix("response.").rpartition(".")
        if event.type == "response.output_item.added" and event.item.type == "function_call":
            names[event.output_index], arguments[event.output_index] = event.item.name, ""
        elif step == "delta" and subject == "function_call_arguments":
            arguments[event.output_index] += event.delta
        elif step == "delta":
            texts[subject] += event.delta
    last = getattr(events[-1], "response", None)
    finish = _end(last) if last is not None else None
    seen = Seen(
        texts["output_text"] + texts["refusal"],
        [(name, _parsed(arguments[index])) for index, name in names.items() if arguments[index]],
        finish,
        texts["reasoning_summary_text"],
        _response_tokens(last.usage if last is not None else None),
    )
    if finish is not None:
        assert _from_response(last) == seen
    return seen


def _end(response: Any) -> str | None:
    if response.status == "in_progress":
        return None
    cut = response.incomplete_details
    return response.status if cut is None else cut.reason


def _response_tokens(usage: Any) -> tuple[int, int, int, int, int]:
    if usage is None:
        return (0, 0, 0, 0, 0)
    read = usage.input_tokens_details
    reasoning = usage.output_tokens_details.reasoning_tokens
    written = read.cache_write_tokens
    return (usage.input_tokens, usage.output_tokens, read.cached_tokens, written, reasoning)


def _from_message(message: Any) -> Seen:
    usage = message.usage
    read, written = usage.cache_read_input_tokens, usage.cache_creation_input_tokens
    reasoning = usage.output_tokens_details.thinking_tokens
    tokens = (usage.input_tokens + read + written, usage.output_tokens, read, written, reasoning)
    return Seen(
        "".join(block.text for block in message.content if block.type == "text"),
        [(block.name, block.input) for block in message.content if block.type == "tool_use"],
        message.stop_reason,
        "".join(block.thinking for block in message.content if block.type == "thinking"),
        tokens,
    )


def _chat_tokens(usage: Any) -> tuple[int, int, int, int, int]:
    if usage is None:
        return (0, 0, 0, 0, 0)
    cached = usage.prompt_tokens_details.cached_tokens
    details = usage.model_dump()["completion_tokens_details"]
    return (usage.prompt_tokens, usage.completion_tokens, cached, 0, details["reasoning_tokens"])


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except json.JSONDecodeError:
        return arguments
