"""Which wire speaks at which path."""

from typing import Final

from agents.serve.http import RequestHead
from agents.serve.wires.anthropic import Messages
from agents.serve.wires.base import Wire
from agents.serve.wires.fireworks import Fireworks
from agents.serve.wires.openai import OpenAIWire

OPENAI: Final = OpenAIWire()
ANTHROPIC: Final = Messages()
FIREWORKS: Final = Fireworks()
_FIREWORKS_PREFIX: Final = "/inference"
EXIST: Final = (
    "POST /v1/chat/completions, /inference/v1/chat/completions, /v1/messages, "
    "/v1/messages/count_tokens, and GET /v1/models, /inference/v1/models, /stats"
)


def wire_of(head: RequestHead) -> Wire:
    """The wire that a request is answered on, in errors, too."""
    path = endpoint_of(head)
    if path.startswith("/v1/messages") or "anthropic-version" in head.headers:
        return ANTHROPIC
    if path != head.path or _is_fireworks_sdk(head):
        return FIREWORKS
    return OPENAI


def endpoint_of(head: RequestHead) -> str:
    """The path, without the prefix that Fireworks puts before it."""
    inner = head.path.removeprefix(_FIREWORKS_PREFIX)
    return inner if inner.startswith("/v1/") else head.path


def _is_fireworks_sdk(head: RequestHead) -> bool:
    # Given another base URL, the SDK leaves its prefix out; its name is what is left to see.
    return "Fireworks/" in head.headers.get("user-agent", "") or head.path.startswith(
        "/v1/accounts/"
    )
