"""A request as a policy needs it: the instruction, and one result for each turn."""

import hashlib
import re
from typing import NamedTuple

from hyperspace.messages import ChatRequest

_EXIT_LINE = re.compile(r"\n?\[exit code -?\d+\]\s*\Z")
_QUOTED_PATH = re.compile(r"code(?:base)? (?:at|in) [`'\"]([^`'\"\n]+)[`'\"]", re.IGNORECASE)


class Conversation(NamedTuple):
    """The part of a request that the current instruction belongs to.

    Attributes:
        instruction: The user message that is being worked on.
        results: What the tools said after each assistant turn since, oldest first.
        tools: Names of the tools on offer.
        seed: The request's seed; 0 if it has none.
    """

    instruction: str
    results: tuple[str, ...]
    tools: frozenset[str]
    seed: int

    @property
    def code_path(self) -> str | None:
        """The folder whose code is to be modified; None if the instruction names none."""
        match = _QUOTED_PATH.search(self.instruction)
        return match.group(1) if match else None


def read(request: ChatRequest) -> Conversation:
    """Read a request; an assistant turn without tool calls ends what went before it."""
    messages = request.messages
    answers = [i for i, m in enumerate(messages) if m.role == "assistant" and not m.tool_calls]
    messages = messages[answers[-1] + 1 :] if answers else messages
    turns = [i for i, message in enumerate(messages) if message.role == "assistant"]
    opening = messages[: turns[0]] if turns else messages
    users = [message.content for message in opening if message.role == "user"]
    ends = [*turns[1:], len(messages)]
    results = [
        "\n".join(message.content for message in messages[i + 1 : end])
        for i, end in zip(turns, ends, strict=False)
    ]
    tools = frozenset(tool.name for tool in request.tools)
    return Conversation(users[-1] if users else "", tuple(results), tools, request.seed or 0)


def draw_seed(*parts: object) -> int:
    """A seed that depends on the text of its parts and on nothing else."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:6], "big")


def output(result: str) -> str:
    """A command's output: a shell result without its closing line about the exit code."""
    return _EXIT_LINE.sub("", result)
