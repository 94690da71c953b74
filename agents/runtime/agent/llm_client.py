"""Ask the model: one request over the broker's Unix socket, one reply back.

A frame is a 4-byte big-endian length and that many bytes of UTF-8 JSON.
"""

import json
import os
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

# Stands in a message for what is left of generations and money when the model is asked; written in
# two parts, so that this very line can be shown to a model as it is.
WHAT_IS_LEFT = "<what" + "-is-left>"
_HEADER = struct.Struct(">I")


class LLMError(Exception):
    """No reply came back.

    Attributes:
        kind: `no_broker`, `closed`, or what the broker said: `bad_request`, `refused`,
            `context_overflow`, `wrong_model`, `budget`, `too_large`.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def chat(
    messages: Sequence[Mapping[str, Any]],
    model: str,
    tools: Sequence[Mapping[str, Any]] = (),
    temperature: float | None = None,
) -> dict[str, Any]:
    """Ask the model for the next message of a conversation.

    Args:
        messages: `{"role", "content"}`, an assistant's `tool_calls` and `thoughts` (as its reply
            had them), a tool's `tool_call_id`.
        model: The model's name, as it was given to the agent.
        tools: `{"name", "description", "parameters"}` of each tool on offer.
        temperature: Sampling temperature; None leaves it to the provider.

    Returns:
        `{"text", "tool_calls": [{"id", "name", "arguments"}], "finish", "thinking", "usage"}`,
        `thoughts` where the provider wants them back, and `window`, the tokens of a conversation,
        where the server says how many it takes.

    Raises:
        LLMError: No reply came back; `kind` says why.
    """
    request = {
        "op": "chat",
        "model": model,
        "messages": list(messages),
        "tools": list(tools),
        "temperature": temperature,
    }
    answer = _exchange(request)
    if not answer.get("ok"):
        raise LLMError(str(answer.get("error")), str(answer.get("message")))
    return answer["reply"]


def _exchange(request: Mapping[str, Any]) -> dict[str, Any]:
    """Send one frame on a fresh connection and wait for the one that answers it."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(_address())
            payload = json.dumps(request, ensure_ascii=False).encode("utf-8", "replace")
            connection.sendall(_HEADER.pack(len(payload)) + payload)
            (size,) = _HEADER.unpack(_receive(connection, _HEADER.size))
            return json.loads(_receive(connection, size))
    except OSError as error:
        raise LLMError("closed", f"the broker's connection failed: {error.strerror}") from error


def _address() -> str:
    address = os.environ.get("HYPERSPACE_BROKER")
    if not address:
        raise LLMError("no_broker", "this sandbox has no model: HYPERSPACE_BROKER is not set")
    return address


def _receive(connection: socket.socket, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        chunk = connection.recv(min(size - len(received), 1 << 16))
        if not chunk:
            raise LLMError("closed", "the broker closed the connection before it answered")
        received += chunk
    return bytes(received)
