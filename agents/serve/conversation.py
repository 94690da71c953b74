"""What every provider insists on in a conversation: each tool call is answered, once, at once."""

from collections.abc import Sequence

from agents.messages import Message
from agents.serve.errors import RequestRefused


def check_conversation(messages: Sequence[Message]) -> None:
    """Make sure that tool messages answer the tool calls right before them.

    Raises:
        RequestRefused: There is no message, a call has no answer, or an answer has no call.
    """
    if not messages:
        raise RequestRefused(400, "messages is empty; a conversation has at least one message")
    waiting: set[str] = set()
    for position, message in enumerate(messages):
        if message.role == "tool":
            _answer(waiting, message, position)
        else:
            _all_answered(waiting, position)
            waiting = {call.id for call in message.tool_calls}
    _all_answered(waiting, len(messages))


def _answer(waiting: set[str], message: Message, position: int) -> None:
    if message.tool_call_id not in waiting:
        raise RequestRefused(
            400,
            f"messages[{position}] answers the tool call {message.tool_call_id!r}, "
            "which the assistant message before it did not make",
        )
    waiting.remove(message.tool_call_id)


def _all_answered(waiting: set[str], position: int) -> None:
    if waiting:
        raise RequestRefused(
            400,
            f"tool calls without an answer before messages[{position}]: "
            f"{', '.join(sorted(waiting))}; each needs a tool message right after it",
        )
