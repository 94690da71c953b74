"""Wall-clock limits that struck: an outcome that a machine's load decides, so it is recorded.

A replay obeys the record: it neither waits for a limit that struck nor lets another one strike.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agents.broker import Broker, Refusal
from agents.replaying import Playback
from agents.traces import Recorder
from evolution.said import said
from guards.sandbox import Running, SandboxEnded

WALL_CLOCK = "wall_clock"


class Strike(msgspec.Struct, frozen=True):
    """A wall-clock limit that ended a sandbox.

    Attributes:
        request: Place of the request that it ended, among all that the attempt sent to its
            sandboxes, from 0.
        purpose: What that was for: `modify`, `gate`, or the split.
        item: On which item.
        detail: What is told of it.
        calls: Model calls that were finished in that request.
        refusals: What the broker refused in it.
    """

    request: int
    purpose: str
    item: str
    detail: str
    calls: int = 0
    refusals: tuple[Refusal, ...] = ()


class Obeyed(msgspec.Struct, frozen=True):
    """What a replay obeys instead of the clock.

    Attributes:
        strikes: Recorded strikes by their request.
        playback: The recorded calls.
        recorder: Where calls are recorded again.
    """

    strikes: Mapping[int, Strike]
    playback: Playback
    recorder: Recorder


class Clock:
    """Counts an attempt's requests to its sandboxes and notes which of them time ended.

    Attributes:
        strikes: What struck so far.
    """

    def __init__(self, calls: Callable[[], int], obeyed: Obeyed | None) -> None:
        """Start counting.

        Args:
            calls: Number of model calls that the attempt has finished.
            obeyed: What a replay obeys; None in a run that is no replay.
        """
        self.strikes: list[Strike] = []
        self._calls = calls
        self._obeyed = obeyed
        self._requests = 0
        self._open: tuple[Strike, int, int] | None = None
        self._recalled: list[Refusal] = []

    async def request(
        self, running: Running, broker: Broker, frame: Mapping[str, Any], timeout_s: float
    ) -> dict[str, Any]:
        """Pass a request on to a sandbox; see `Running.request`."""
        number, self._requests = self._requests, self._requests + 1
        if self._obeyed is not None and number in self._obeyed.strikes:
            await self._strike(self._obeyed.strikes[number])
        calls, refusals = self._calls(), len(broker.refusals)
        try:
            return await running.request(frame, timeout_s)
        except SandboxEnded as ended:
            if ended.reason == WALL_CLOCK:
                self._note(Strike(number, *broker.work, said(ended.detail)), calls, refusals)
            raise

    def close(self, broker: Broker) -> Sequence[Refusal]:
        """Take in what the broker of a sandbox that is gone has seen.

        What was in flight when the limit struck may be answered until the broker is closed.

        Returns:
            All that was refused, and what the record says was refused when a limit struck.
        """
        recalled, self._recalled = self._recalled, []
        if self._open is not None:
            strike, calls, refusals = self._open
            self._open = None
            refused = tuple(broker.refusals[refusals:])
            made = self._calls() - calls
            self.strikes.append(msgspec.structs.replace(strike, calls=made, refusals=refused))
        return [*broker.refusals, *recalled]

    def _note(self, strike: Strike, calls: int, refusals: int) -> None:
        if self._obeyed is not None:
            what = "a wall-clock limit struck that did not in the record; is this machine busy?"
            raise self._obeyed.playback.stop(None, f"{strike.purpose}: {what}")
        self._open = (strike, calls, refusals)

    async def _strike(self, strike: Strike) -> None:
        assert self._obeyed is not None  # noqa: S101  narrows the type
        for call in self._obeyed.playback.take(strike.calls):
            await self._obeyed.recorder.repeat(call)
        self.strikes.append(strike)
        self._recalled.extend(strike.refusals)
        raise SandboxEnded(WALL_CLOCK, strike.detail)


class Timed:
    """A started sandbox whose requests pass a clock; implements `Running`."""

    def __init__(self, running: Running, broker: Broker, clock: Clock) -> None:
        self._running = running
        self._broker = broker
        self._clock = clock

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
        return await self._clock.request(self._running, self._broker, frame, timeout_s)

    async def finish(self) -> int:
        """End every process inside; see `Running`."""
        return await self._running.finish()
