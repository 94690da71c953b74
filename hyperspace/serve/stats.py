"""Counts of a server's requests, to check a ledger against."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final, NamedTuple

import msgspec

from hyperspace.messages import Usage

NAMES_LIMIT: Final = 1000
OTHERS: Final = "(others)"


class ServedCount(msgspec.Struct):
    """Counts of one model or one key.

    Attributes:
        requests: Requests that named it.
        completed: Replies that were sent whole.
        prompt_tokens: Tokens of the completed ones, cached ones included.
        completion_tokens: Tokens of the completed ones, reasoning included.
        cached_tokens: Prompt tokens that were read from the cache.
        cache_write_tokens: Prompt tokens that were written to the cache.
        reasoning_tokens: Completion tokens that were reasoning.
    """

    requests: int = 0
    completed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0

    def add(self, usage: Usage, sign: int) -> None:
        """Count a completed reply, or take one back."""
        self.completed += sign
        for field in usage.__struct_fields__:
            setattr(self, field, getattr(self, field) + sign * getattr(usage, field))


class Who(NamedTuple):
    """Who asked whom.

    Attributes:
        model: The model that was asked.
        key: Hash of the key that came with the request.
        wire: The wire that it came by.
    """

    model: str
    key: str
    wire: str


class Stats:
    """Counts requests, replies and faults; may be read from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._models: dict[str, ServedCount] = {}
        self._keys: dict[str, ServedCount] = {}
        self._wires: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._refused: Counter[int] = Counter()
        self._all = ServedCount()
        self._cut = 0
        self._in_flight = 0

    @contextmanager
    def flight(self, counts: bool) -> Generator[None]:
        """Count a request as in flight while the context is open, if it counts at all."""
        with self._lock:
            self._in_flight += counts
        try:
            yield
        finally:
            with self._lock:
                self._in_flight -= counts

    def asked(self, who: Who) -> None:
        """Count a request."""
        with self._lock:
            self._wires[who.wire] += 1
            for count in self._counts(who):
                count.requests += 1

    def completed(self, who: Who, usage: Usage, sign: int = 1) -> None:
        """Count a reply whose last bytes are about to go out: whoever has it sees it counted.

        A sign of -1 takes it back: its last bytes did not go out.
        """
        with self._lock:
            for count in self._counts(who):
                count.add(usage, sign)

    def cut(self) -> None:
        """Count a reply that was not sent whole: by a fault, or because the client left."""
        with self._lock:
            self._cut += 1

    def fault(self, kind: str) -> None:
        """Count a fault."""
        with self._lock:
            self._faults[kind] += 1

    def refused(self, status: int) -> None:
        """Count a request that was refused for what it is; faults are counted apart."""
        with self._lock:
            self._refused[status] += 1

    def snapshot(self) -> dict[str, Any]:
        """All counts as plain data."""
        with self._lock:
            return msgspec.to_builtins(
                {
                    **msgspec.structs.asdict(self._all),
                    "in_flight": self._in_flight,
                    "cut": self._cut,
                    "faults": self._faults,
                    "refused": {str(status): n for status, n in self._refused.items()},
                    "wires": self._wires,
                    "models": self._models,
                    "keys": self._keys,
                }
            )

    def _counts(self, who: Who) -> tuple[ServedCount, ServedCount, ServedCount]:
        return self._all, _find(self._models, who.model), _find(self._keys, who.key)


def _find(counts: dict[str, ServedCount], name: str) -> ServedCount:
    """The count of a name; past the limit strangers share one, so that none can fill memory."""
    if name not in counts and len(counts) >= NAMES_LIMIT:
        name = OTHERS
    return counts.setdefault(name, ServedCount())
