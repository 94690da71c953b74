"""Wall-clock limits that struck: an outcome that a machine's load decides, so it is recorded.

A replay obeys the record: it neither waits for a limit that struck nor lets another one strike.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agents.broker.broker import Broker, BrokerRefusal
from agents.tracing.replaying import Playback
from agents.tracing.traces import Recorder
from evolution.said import said
from evolution.state.manifest import Request, Strike
from guards.sandboxes.sandbox import Running, SandboxEnded

WALL_CLOCK = "wall_clock"


class Obeyed(msgspec.Struct, frozen=True):
    """What a replay obeys instead of the clock.

    Attributes:
        strikes: Recorded strikes by their request.
        playback: The recorded calls.
        recorder: Where calls are recorded again.
    """

    strikes: Mapping[Request, Strike]
    playback: Playback
    recorder: Recorder


class Clock:
    """Counts an attempt's requests to its sandboxes and keeps which of them time ended.

    Attributes:
        strikes: What struck so far.
        calls: Number of model calls that the attempt has finished for a purpose and item.
        obeyed: What a replay obeys; None in a run that is no replay.
    """

    def __init__(self, calls: Callable[[tuple[str, str]], int], obeyed: Obeyed | None) -> None:
        self.strikes: list[Strike] = []
        self.calls = calls
        self.obeyed = obeyed
        self._requests: Counter[tuple[str, str]] = Counter()

    def next_request(self, work: tuple[str, str]) -> Request:
        """Name the next request for a purpose and item."""
        ordinal = self._requests[work]
        self._requests[work] += 1
        return Request(*work, ordinal)


class Watch:
    """Watches the requests to one sandbox."""

    def __init__(self, clock: Clock, broker: Broker) -> None:
        self._clock = clock
        self._broker = broker
        self._open: tuple[Strike, int, int] | None = None
        self._recalled: list[BrokerRefusal] = []

    async def request(
        self, running: Running, frame: Mapping[str, Any], timeout_s: float
    ) -> dict[str, Any]:
        """Pass a request on to the sandbox; see `Running.request`."""
        work = self._broker.work
        request = self._clock.next_request(work)
        await self._obey(request)
        calls, refusals = self._clock.calls(work), len(self._broker.refusals)
        try:
            return await running.request(frame, timeout_s)
        except SandboxEnded as ended:
            if ended.reason == WALL_CLOCK:
                strike = Strike(request.ordinal, *work, said(ended.detail))
                self._note(strike, calls, refusals)
            raise

    def close(self) -> Sequence[BrokerRefusal]:
        """Take in what the broker has seen, now that the sandbox is gone and it is closed.

        What was in flight when the limit struck may be answered until then.

        Returns:
            All that was refused, and what the record says was refused when a limit struck.
        """
        if self._open is not None:
            strike, calls, refusals = self._open
            made = self._clock.calls((strike.purpose, strike.item)) - calls
            refused = tuple(self._broker.refusals[refusals:])
            noted = msgspec.structs.replace(strike, calls=made, refusals=refused)
            self._clock.strikes.append(noted)
        return [*self._broker.refusals, *self._recalled]

    def _note(self, strike: Strike, calls: int, refusals: int) -> None:
        if self._clock.obeyed is not None:
            what = "a wall-clock limit struck that did not in the record; is this machine busy?"
            raise self._clock.obeyed.playback.stop(None, f"{strike.purpose}: {what}")
        self._open = (strike, calls, refusals)

    async def _obey(self, request: Request) -> None:
        obeyed = self._clock.obeyed
        strike = None if obeyed is None else obeyed.strikes.get(request)
        if obeyed is None or strike is None:
            return
        for call in obeyed.playback.take(strike.purpose, strike.item, strike.calls):
            await obeyed.recorder.repeat(call)
        self._clock.strikes.append(strike)
        self._recalled.extend(strike.refusals)
        raise SandboxEnded(WALL_CLOCK, strike.detail)


class Timed:
    """A started sandbox whose requests are watched; implements `Running`."""

    def __init__(self, running: Running, watch: Watch) -> None:
        self._running = running
        self._watch = watch

    @property
    def workspace(self) -> Path:
        """See `Running`."""
        return self._running.workspace

    @property
    def inside_path(self) -> str:
        """See `Running`."""
        return self._running.inside_path

    async def request(self, frame: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send one frame and wait for the next one back; see `Running`."""
        return await self._watch.request(self._running, frame, timeout_s)

    async def finish(self) -> int:
        """End every process inside; see `Running`."""
        return await self._running.finish()
