"""Traces: one line a finished call, append-only and crash-safe, readable while written."""

import os
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final

import anyio
import anyio.to_thread
import msgspec

from agents.calls import (
    CallKey,
    CallRecord,
    RecordedError,
    canonical_call,
    recorded_message,
    reply_fields,
    reply_of,
)
from agents.canonical import request_sha256
from agents.messages import ChatReply, ChatRequest
from agents.models.base import BadRequest, ContextOverflow, ModelError
from agents.wall_clock import utc_now

__all__ = [
    "CallKey",
    "CallRecord",
    "Recorder",
    "Trace",
    "canonical_call",
    "error_kind",
    "merge_traces",
    "read_trace",
]

_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"

# Errors that are an answer to this very request: they are recorded and told to the caller.
ANSWERING_ERRORS: Final[dict[str, type[ModelError]]] = {
    "bad_request": BadRequest,
    "context_overflow": ContextOverflow,
}


class Trace(msgspec.Struct, frozen=True, dict=True):
    """What a trace file holds.

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

    def find(self, key: CallKey, request_sha256: str) -> CallRecord | None:
        """Find the record of exactly this request at exactly this place."""
        return self._index.get((key, request_sha256))


def read_trace(path: Path) -> Trace:
    """Read a trace, whatever state it is in: a bad file is an empty trace with a problem."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return Trace(problem=f"{path.name} cannot be read: {error.strerror}")
    if content.startswith(_LFS_POINTER):
        return Trace(problem=f"{path.name} is a git-lfs pointer; `git lfs pull` gets the content")
    return _parse(content, path.name) if content else Trace(problem=f"{path.name} is empty")


def merge_traces(paths: Iterable[Path]) -> Trace:
    """Join what several attempts have finished; the latest answer to a request wins."""
    traces = [read_trace(path) for path in paths]
    problems = "; ".join(trace.problem for trace in traces if trace.problem)
    return Trace(tuple(call for trace in traces for call in trace.calls), problems)


def _parse(content: bytes, name: str) -> Trace:
    *lines, torn = content.split(b"\n")
    calls = list(_decoded(lines))
    damaged = sum(bool(line.strip()) for line in lines) - len(calls)
    problem = f"{name}: {damaged} of {len(lines)} lines are damaged" if damaged else ""
    # A published trace may lack the last line feed, so a whole last line counts.
    return Trace((*calls, *_decoded([torn])), problem)


def _decoded(lines: list[bytes]) -> Iterator[CallRecord]:
    decoder = msgspec.json.Decoder(CallRecord)
    for line in lines:
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, RecursionError):
            continue


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
        served: Trace | None = None,
        on_call: Callable[[CallRecord], None] = _ignore,
    ) -> None:
        """Open a trace; a torn last line of a killed writer is cut off.

        Args:
            path: File to append to; its folder exists.
            served: An earlier attempt's trace; its answers are used again for equal requests.
            on_call: Told each finished call right before it is written.
        """
        self.path = path
        self._served = served or Trace()
        self._on_call = on_call
        self._lock = anyio.Lock()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        _cut_torn_line(self._file)

    async def answer(self, key: CallKey, request: ChatRequest, ask: Ask) -> ChatReply:
        """Answer a request from the earlier attempt, or else by asking, and record it.

        Raises:
            BadRequest: The provider refused the request; recorded.
            ContextOverflow: The conversation is too long; recorded.
            ModelError: Any other failure to get an answer; not recorded, nothing was finished.
        """
        sha256 = request_sha256(request)
        known = self._served.find(key, sha256)
        call = _again(known) if known else await self._asked(key, request, sha256, ask)
        self._on_call(call)
        await self._append(call)
        if call.error is not None:
            raise ANSWERING_ERRORS[call.error.kind](call.error.message)
        return reply_of(call)

    async def _asked(self, key: CallKey, request: ChatRequest, sha256: str, ask: Ask) -> CallRecord:
        start = time.monotonic()
        try:
            answer = reply_fields(await ask(request))
        except tuple(ANSWERING_ERRORS.values()) as error:
            answer = {"error": RecordedError(error_kind(error), str(error))}
        call = CallRecord(
            call_id=f"{key.purpose}/{key.item}/{key.ordinal}",
            timestamp=utc_now(),
            model=request.model,
            messages=[recorded_message(message) for message in request.messages],
            purpose=key.purpose,
            item=key.item,
            ordinal=key.ordinal,
            request_sha256=sha256,
            seconds=round(time.monotonic() - start, 6),
            tools=list(request.tools),
            temperature=request.temperature,
            seed=request.seed,
        )
        return msgspec.structs.replace(call, **answer)

    async def _append(self, call: CallRecord) -> None:
        line = msgspec.json.encode(call) + b"\n"
        async with self._lock:
            await anyio.to_thread.run_sync(_write, self._file, line)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _write(file: int, line: bytes) -> None:
    unwritten = memoryview(line)
    while unwritten:
        unwritten = unwritten[os.write(file, unwritten) :]
    os.fsync(file)


def _cut_torn_line(file: int) -> None:
    whole = size = os.fstat(file).st_size
    while whole and os.pread(file, 1, whole - 1) != b"\n":
        start = max(whole - 65536, 0)
        whole = start + os.pread(file, whole - start, start).rfind(b"\n") + 1
    if whole < size:
        os.ftruncate(file, whole)


def _again(known: CallRecord) -> CallRecord:
    return msgspec.structs.replace(known, served=True, seconds=0.0, timestamp=utc_now())


def error_kind(error: ModelError) -> str:
    """The name of an error that answers a request: `bad_request` or `context_overflow`."""
    return next(kind for kind, known in ANSWERING_ERRORS.items() if isinstance(error, known))
