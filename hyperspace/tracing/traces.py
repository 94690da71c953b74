"""Traces: one line a finished call, append-only and crash-safe, readable while written."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol, Self

import anyio
import anyio.to_thread
import msgspec

from guards.parsing import UNDECODABLE
from hyperspace.messages import CallKey, ChatReply, ChatRequest, request_sha256
from hyperspace.models.base import (
    BadRequest,
    ContextOverflow,
    ModelError,
    NoRecordedAnswer,
    Refused,
)
from hyperspace.tracing.cache import CacheKey, ReplyCache
from hyperspace.tracing.calls import (
    CallRecord,
    RecordedError,
    call_id,
    recorded_message,
    reply_fields,
    reply_of,
)
from hyperspace.tracing.line_file import LineFile
from hyperspace.wall_clock import utc_now

_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"

# Errors that are an answer to this very request: they are recorded and told to the caller.
ANSWERING_ERRORS: Final[dict[str, type[ModelError]]] = {
    "refused": Refused,  # before what it is a kind of
    "bad_request": BadRequest,
    "context_overflow": ContextOverflow,
}


class Trace(msgspec.Struct, frozen=True, dict=True):
    """The contents of a trace file.

    Attributes:
        calls: The finished calls, in the order in which they ended.
        problem: Why calls are missing: no file, a git-lfs pointer, damaged lines. Empty if all is
            well; a torn last line is no problem, that call never finished.
    """

    calls: tuple[CallRecord, ...] = ()
    problem: str = ""

    @cached_property
    def _index(self) -> dict[tuple[CallKey, str], CallRecord]:
        return {(call.key, call.request_sha256): call for call in self.calls}

    def find(self, key: CallKey, request: ChatRequest, sha256: str) -> CallRecord | None:
        """Find the record of exactly this request at exactly this place; see `Served`."""
        return self._index.get((key, sha256))


def read_trace(path: Path) -> Trace:
    """Read a trace, whatever state it is in: a bad file is an empty trace with a problem."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return Trace(problem=f"{path.name} cannot be read: {error.strerror}")
    if content.startswith(_LFS_POINTER):
        return Trace(problem=f"{path.name} is a git-lfs pointer; `git lfs pull` gets the content")
    if not content:
        return Trace(problem=f"{path.name} is empty")
    *lines, torn = content.split(b"\n")
    calls = list(_decoded(lines))
    damaged = sum(bool(line.strip()) for line in lines) - len(calls)
    problem = f"{path.name}: {damaged} of {len(lines)} lines are damaged" if damaged else ""
    # A published trace may lack the last line feed, so a whole last line counts.
    return Trace((*calls, *_decoded([torn])), problem)


def merge_traces(paths: Iterable[Path]) -> Trace:
    """Join what several attempts have finished; the latest answer to a request wins."""
    traces = [read_trace(path) for path in paths]
    problems = "; ".join(trace.problem for trace in traces if trace.problem)
    return Trace(tuple(call for trace in traces for call in trace.calls), problems)


def _decoded(lines: list[bytes]) -> Iterator[CallRecord]:
    decoder = msgspec.json.Decoder(CallRecord)
    for line in lines:
        try:
            yield decoder.decode(line)
        except UNDECODABLE:
            continue


class Served(Protocol):
    """Finished calls that need not be made again."""

    def find(self, key: CallKey, request: ChatRequest, sha256: str) -> CallRecord | None:
        """Find the record that answers a request; None asks the model.

        Args:
            key: Where the call belongs.
            request: What is asked.
            sha256: Hash of its canonical form.

        Raises:
            ReplayMismatch: The model must not be asked, and there is no answer.
        """
        ...


Ask = Callable[[ChatRequest], Awaitable[ChatReply]]


def _ignore(_call: CallRecord) -> None:
    pass


class Recorder:
    """Appends one line a finished call, and serves calls that an earlier attempt has finished.

    Attributes:
        path: The trace.
    """

    def __init__(
        self,
        path: Path,
        served: Served | None = None,
        on_call: Callable[[CallRecord], None] = _ignore,
        paying: Callable[[CallKey], AbstractContextManager[None]] = lambda _: nullcontext(),
        cache: ReplyCache | None = None,
    ) -> None:
        """Open a trace; a torn last line of a killed writer is cut off.

        Args:
            path: File to append to; its folder exists.
            served: What answers before the model is asked, such as an earlier attempt's trace.
            on_call: Told each finished call right before it is written.
            paying: Names, while a model is really asked, who pays for what
                (`hyperspace.spending.metered`).
            cache: Replies of other runs; None asks anew.
        """
        self.path = path
        self._served = served or Trace()
        self._on_call = on_call
        self._paying = paying
        self._cache = cache
        self._repeats: Counter[tuple[str, str, str]] = Counter()
        self._lock = anyio.Lock(fast_acquire=True)
        self._file = LineFile(path)

    async def answer(
        self, key: CallKey, request: ChatRequest, ask: Ask, cached_as: str = ""
    ) -> ChatReply:
        """Answer a request from the earlier attempt, the cache, or else by asking; record it.

        Args:
            key: Where the call belongs.
            request: What is asked.
            ask: Asks the model.
            cached_as: The model's full name and address; empty if its answers are never cached.

        Raises:
            BadRequest: The provider refused the request; recorded.
            ContextOverflow: The conversation is too long; recorded.
            ModelError: Any other failure to get an answer; not recorded, nothing was finished.
        """
        sha256 = request_sha256(request)
        record = self._served.find(key, request, sha256)
        repeat = self._repeats[key.purpose, key.item, sha256]
        self._repeats[key.purpose, key.item, sha256] += 1
        cache_key = CacheKey(cached_as, sha256, f"{key.purpose}/{key.item}", repeat)
        call = _again(record) if record else await self._asked(key, request, cache_key, ask)
        await self._keep(call)
        if call.error is not None:
            raise ANSWERING_ERRORS[call.error.kind](call.error.message)
        return reply_of(call)

    async def repeat(self, call: CallRecord) -> None:
        """Record a finished call again that nobody asks for in this attempt."""
        await self._keep(_again(call))

    async def _asked(
        self, key: CallKey, request: ChatRequest, cache_key: CacheKey, ask: Ask
    ) -> CallRecord:
        start = time.monotonic()
        try:
            answer: dict[str, Any] = await self._answer_fields(key, request, cache_key, ask)
        except tuple(ANSWERING_ERRORS.values()) as error:
            answer = {"error": RecordedError(error_kind(error), str(error))}
            answer["divergence"] = str(error) if isinstance(error, NoRecordedAnswer) else ""
        call = CallRecord(
            call_id=call_id(key),
            timestamp=utc_now(),
            model=request.model,
            messages=[recorded_message(message) for message in request.messages],
            purpose=key.purpose,
            item=key.item,
            ordinal=key.ordinal,
            request_sha256=cache_key.request_sha256,
            seconds=round(time.monotonic() - start, 6),
            tools=list(request.tools),
            temperature=request.temperature,
            seed=request.seed,
            max_tokens=request.max_tokens,
        )
        return msgspec.structs.replace(call, **answer)

    async def _answer_fields(
        self, key: CallKey, request: ChatRequest, cache_key: CacheKey, ask: Ask
    ) -> dict[str, Any]:
        cache = self._cache if cache_key.model else None
        cached = cache.get(cache_key) if cache else None
        if cached is not None:
            return {**reply_fields(cached), "cached": True, "cost_usd": 0.0}
        with self._paying(key):
            reply = await ask(request)
        if cache is not None:
            cache.put(cache_key, reply)
        return reply_fields(reply)

    async def _keep(self, call: CallRecord) -> None:
        self._on_call(call)
        line = msgspec.json.encode(call) + b"\n"
        # Shielded: it is paid and counted by now, and must not be asked for again.
        with anyio.CancelScope(shield=True):
            async with self._lock:
                await anyio.to_thread.run_sync(self._write, line)

    def _write(self, line: bytes) -> None:
        self._file.append(line)
        self._file.sync()

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _again(record: CallRecord) -> CallRecord:
    return msgspec.structs.replace(record, served=True, seconds=0.0, timestamp=utc_now())


def error_kind(error: ModelError) -> str:
    """The name of an error that answers a request: a key of `ANSWERING_ERRORS`."""
    return next(
        kind for kind, error_class in ANSWERING_ERRORS.items() if isinstance(error, error_class)
    )
