"""Replies in server-sent events: read as they come, bounded by silence and not by length.

The SDKs bring readers of their own. They pass over events that tell of errors, or what comes after
the last event, and leave generators unfinished, which trio does not forgive.
"""

from collections.abc import AsyncIterable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Protocol, cast

import anyio
import msgspec

from hyperspace.models.base import MalformedReply, ModelError, ProviderDown
from hyperspace.models.errors import ModelTarget
from hyperspace.models.names import SilenceLimits
from hyperspace.models.normalize import CHARACTERS_A_TOKEN, lenient_json, reply_object, scrub
from hyperspace.models.policy.traffic import CLOCK, Clock

FIRST_REPORT_S: Final = 10.0
REPORT_EVERY_S: Final = 5.0
_LOOKS: Final = 8  # at the progress of a stream, within the silence that is allowed
_LOOK_S: Final = 1.0  # between two looks at most
_PAUSE_SHARE: Final = 0.05  # of the time that a reply takes already
_LONGEST_PAUSE_S: Final = 0.5
_SHORTEST_PAUSE_S: Final = 0.005
_DONE: Final = b"[DONE]"
_DATA: Final = b"data:"
_QUOTED_BYTES: Final = 100

Report = Callable[[int], None]
"""Takes the number of tokens that a reply has so far, as estimated."""

_current: ContextVar[Report | None] = ContextVar("report", default=None)


@contextmanager
def reporting_progress(report: Report) -> Generator[None]:
    """Report how far replies are that take long, for the calls made inside.

    A report comes after `FIRST_REPORT_S`, then every `REPORT_EVERY_S` in which there was progress.
    """
    token = _current.set(report)
    try:
        yield
    finally:
        _current.reset(token)


class Assembly(Protocol):
    """Puts a reply together from its events."""

    def take(self, event: dict[str, Any]) -> None:
        """Take the next event.

        Raises:
            ModelError: It is none, or tells of an error.
        """
        ...

    def answer(self) -> dict[str, Any]:
        """The answer so far, in the form of an unstreamed one."""
        ...

    def characters(self) -> int:
        """Length of what was written so far."""
        ...

    def is_thinking(self) -> bool:
        """True where thoughts are thought now, by the events so far: none may come for long."""
        ...


class EventReader:
    """Splits bytes into events and hands them to an assembly.

    After the first event that makes no sense the rest is passed over and the error is kept:
    reading on brings the connection, and its generators, to their end.

    Attributes:
        events: How many there were.
    """

    def __init__(self, assembly: Assembly, target: ModelTarget) -> None:
        self.events = 0
        self._assembly = assembly
        self._target = target
        self._error: ModelError | None = None
        self._line: list[bytes] = []  # pieces of the line that has not ended
        self._data: list[bytes] = []  # of the event that has not ended
        self._other: list[bytes] = []  # lines before any event, in case that none comes

    def feed(self, part: bytes) -> None:
        """Take the next bytes."""
        if b"\n" not in part:
            self._line.append(part)
            return
        if self._line:
            part = b"".join([*self._line, part])
            self._line.clear()
        *lines, rest = part.split(b"\n")
        if rest:
            self._line.append(rest)
        for line in lines:
            self._take_line(line.removesuffix(b"\r"))

    def tokens(self) -> int:
        """How many tokens there are so far, by their length."""
        return self._assembly.characters() // CHARACTERS_A_TOKEN

    def is_thinking(self) -> bool:
        """True where a silence as long as that before the first event is to be expected."""
        return self._assembly.is_thinking()

    def answer(self) -> dict[str, Any]:
        """The answer, once the stream has ended: assembled, or the only body of a plain response.

        Raises:
            ModelError: An event made no sense or told of an error; no event and no JSON came.
        """
        self._take_line(b"".join(self._line))
        self._take_line(b"")
        if self._error is not None:
            raise self._error
        body = b"\n".join(line for line in self._other if not line.startswith(b":"))
        if not self.events and body.strip():
            return reply_object(body, self._target)
        return self._assembly.answer()

    def _take_line(self, line: bytes) -> None:
        if line.startswith(_DATA):
            self._data.append(line[len(_DATA) :].removeprefix(b" "))
        elif self._data and not line:
            data = b"\n".join(self._data)
            self._data.clear()
            self._take_event(data)
        elif line and not self.events:
            self._other.append(line)

    def _take_event(self, data: bytes) -> None:
        self.events += 1
        if self._error is not None or data.startswith(_DONE):
            return
        try:
            self._assembly.take(_object(data, self._target))
        except ModelError as error:
            self._error = error


def _object(data: bytes, target: ModelTarget) -> dict[str, Any]:
    try:
        fields = msgspec.json.decode(data)
    except (ValueError, RecursionError):
        fields = _lenient(data, target)
    if not isinstance(fields, dict):
        said = target.quoted(repr(data[:_QUOTED_BYTES]))
        raise MalformedReply(f"{target} sent an event that is no JSON object: {said}")
    return cast("dict[str, Any]", fields)


def _lenient(data: bytes, target: ModelTarget) -> object:
    """JSON with lone surrogates or NaN, which some servers write; None for what is no JSON."""
    try:
        fields = lenient_json(data)
        return scrub(cast("dict[str, Any]", fields), target) if isinstance(fields, dict) else None
    except (ValueError, RecursionError):
        return None


async def read_events(
    parts: AsyncIterable[bytes],
    reader: EventReader,
    limits: SilenceLimits,
    target: ModelTarget,
    clock: Clock = CLOCK,
) -> None:
    """Read a stream to its end, and report progress where somebody wants to know.

    Now and then it pauses: to wake up for each token costs more than to read it.

    Args:
        parts: Its bytes.
        reader: Takes them.
        limits: How long it may bring no event.
        target: Who sends it.
        clock: Where the times of looks, reports and pauses come from.

    Raises:
        ProviderDown: It was silent for too long.
        Exception: Whatever the stream raises.
    """
    limit_s, look_s, events = limits.first_s, min(_LOOK_S, limits.later_s / _LOOKS), 0
    start = awake = clock.now()
    look_at, report_at = start, start + FIRST_REPORT_S
    report = _current.get()
    with anyio.move_on_after(limit_s) as scope:
        async for part in parts:
            reader.feed(part)
            now = clock.now()
            if reader.events > events and now >= look_at:
                events, look_at = reader.events, now + look_s
                limit_s = limits.first_s if reader.is_thinking() else limits.later_s
                scope.deadline = anyio.current_time() + limit_s
                if report is not None and now >= report_at:
                    report(reader.tokens())
                    report_at = now + REPORT_EVERY_S
            pause_s = min(_LONGEST_PAUSE_S, _PAUSE_SHARE * (now - start))
            if pause_s > _SHORTEST_PAUSE_S and now - awake > pause_s / 8:
                with anyio.CancelScope(shield=True):  # cut off here, generators would stay open
                    await clock.sleep(pause_s)
                awake = clock.now()
    if scope.cancelled_caught:
        raise silent(target, limit_s)


def silent(target: ModelTarget, limit_s: float) -> ProviderDown:
    """The error for a stream that brought nothing for some seconds."""
    advice = "the option silence_s of a model's name says how long to wait"
    return ProviderDown(f"{target} sent nothing for {limit_s:g} s ({advice})")
