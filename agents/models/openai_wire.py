"""Chat completions on the wire: our messages out, a checked reply back."""

from typing import Any, Final

import msgspec

from agents.messages import ChatReply, ChatRequest, Finish, Message, ToolCall, ToolSpec, Usage
from agents.models.base import ProviderDown, ReplyTruncated

_FINISH: Final[dict[str, Finish]] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "refusal",
}


class _Function(msgspec.Struct):
    name: str
    arguments: str = ""


class _Call(msgspec.Struct):
    id: str
    function: _Function


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


def request_fields(model: str, request: ChatRequest) -> dict[str, Any]:
    """The body of a request; what is not given is not sent."""
    fields: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "tools": [_tool(tool) for tool in request.tools] or None,
        "temperature": request.temperature,
        "seed": request.seed,
        "max_tokens": request.max_tokens,
    }
    return {key: value for key, value in fields.items() if value is not None}


def reply_from(completion: dict[str, Any], request: ChatRequest) -> ChatReply:
    """Check an answer and take our reply from it.

    Raises:
        ReplyTruncated: There is no choice, or it does not say why it ended.
        ProviderDown: The answer has another shape than chat completions have.
    """
    try:
        answer = msgspec.convert(completion, _Completion)
    except msgspec.ValidationError as error:
        raise ProviderDown(f"the endpoint's answer is no chat completion: {error}") from error
    if not answer.choices:
        raise ReplyTruncated("the endpoint's answer holds no choice")
    choice = answer.choices[0]
    return ChatReply(
        text=choice.message.content or choice.message.refusal or "",
        tool_calls=tuple(map(_tool_call, choice.message.tool_calls or ())),
        finish=_finish(choice),
        thinking=choice.message.reasoning_content or choice.message.reasoning or "",
        usage=_usage(answer, request),
        model=answer.model or "",
    )


def _finish(choice: _Choice) -> Finish:
    finish = _FINISH.get(choice.finish_reason or "")
    if finish is None:
        raise ReplyTruncated(
            f"the reply ended with finish reason {choice.finish_reason!r}; "
            f"a whole one ends with {', '.join(_FINISH)}"
        )
    return "refusal" if choice.message.refusal else finish


def _usage(answer: _Completion, request: ChatRequest) -> Usage:
    """Tokens as counted by the endpoint; estimated from the text if it counts none."""
    if answer.usage is not None:
        return Usage(answer.usage.prompt_tokens, answer.usage.completion_tokens)
    sent = sum(len(message.content) for message in request.messages)
    return Usage(sent // 4, len(answer.choices[0].message.content or "") // 4)


def _message(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        fields["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.role == "tool":
        fields["tool_call_id"] = message.tool_call_id
    return fields


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"type": "function", "function": msgspec.to_builtins(tool)}


def _tool_call(call: _Call) -> ToolCall:
    return ToolCall(call.id, call.function.name, call.function.arguments)
