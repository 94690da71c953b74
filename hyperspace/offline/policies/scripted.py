"""A policy that says what a script tells it to, turn by turn."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_given
from hyperspace.messages import ChatReply, ChatRequest, Finish, ToolCall
from hyperspace.models.base import UnknownModel


class ScriptedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call of a script.

    Attributes:
        name: The tool's name.
        arguments: The arguments object, or text that is sent as it stands (say, broken JSON).
    """

    name: str
    arguments: dict[str, object] | str


class ScriptedReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One turn of a script.

    Attributes:
        text: Visible text.
        tool_calls: Calls to ask for; ids are made from turn and position.
        finish: Why the model stopped; None derives it from the tool calls.
        thinking: Reasoning text.
    """

    text: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    finish: Finish | None = None
    thinking: str = ""


_END = ScriptedReply(text="The script has ended.")


class ScriptedPolicy:
    """Plays a fixed list of replies, one for each assistant turn of a conversation.

    The turn is the number of assistant messages in the request, so the policy is pure: every
    conversation starts at the first reply. Past the end it answers with a closing sentence.
    """

    def __init__(self, script: Sequence[ScriptedReply]) -> None:
        self._script = tuple(script)

    @classmethod
    def from_file(cls, path: Path) -> "ScriptedPolicy":
        """Read a script: a JSON list of `ScriptedReply` objects.

        Raises:
            UnknownModel: The file cannot be read or is not a script.
        """
        try:
            return cls(decode_json(read_given(path), list[ScriptedReply]))
        except (Unreadable, ValueError) as error:
            raise UnknownModel(
                f"cannot read the script {path} ({error}); expected a JSON list of objects like "
                '{"text": "hi", "tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}]}'
            ) from error

    def reply(self, request: ChatRequest) -> ChatReply:
        """Play the reply of this conversation's turn."""
        turn = sum(message.role == "assistant" for message in request.messages)
        scripted = self._script[turn] if turn < len(self._script) else _END
        return _chat_reply(scripted, turn)


def _chat_reply(scripted: ScriptedReply, turn: int) -> ChatReply:
    calls = tuple(
        ToolCall(f"call_{turn}_{position}", call.name, _argument_text(call))
        for position, call in enumerate(scripted.tool_calls)
    )
    finish = scripted.finish or ("tool_calls" if calls else "stop")
    return ChatReply(scripted.text, calls, finish, scripted.thinking)


def _argument_text(call: ScriptedCall) -> str:
    if isinstance(call.arguments, str):
        return call.arguments
    return msgspec.json.encode(call.arguments).decode()
