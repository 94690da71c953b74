"""What a server was asked: the other side's count, to hold a ledger against."""

from collections import defaultdict
from threading import Lock
from typing import Any

import msgspec

from agents.messages import Usage


class ModelCount(msgspec.Struct):
    """Counts of one model.

    Attributes:
        requests: Requests that named it.
        completed: Replies that were sent whole.
        prompt_tokens: Tokens of the completed ones.
        completion_tokens: Tokens of the completed ones.
    """

    requests: int = 0
    completed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Stats:
    """Counts requests and completed replies, by model; safe across threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._models: dict[str, ModelCount] = defaultdict(ModelCount)

    def asked(self, model: str) -> None:
        """Count a request."""
        with self._lock:
            self._models[model].requests += 1

    def completed(self, model: str, usage: Usage) -> None:
        """Count a reply that was sent whole."""
        with self._lock:
            count = self._models[model]
            count.completed += 1
            count.prompt_tokens += usage.prompt_tokens
            count.completion_tokens += usage.completion_tokens

    def snapshot(self) -> dict[str, Any]:
        """All counts as plain data."""
        with self._lock:
            models = msgspec.to_builtins(self._models)
        return {"requests": sum(count["requests"] for count in models.values()), "models": models}
