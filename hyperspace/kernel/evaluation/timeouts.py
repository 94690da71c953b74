"""Limits of time that ended a sandbox: the machine and its load decide them, so they are recorded.

A replay obeys the record: it neither waits for a recorded timeout nor lets another limit end a
sandbox.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from guards.sandboxes.sandbox import Running, SandboxEnded
from hyperspace.broker.broker import Broker
from hyperspace.broker.refusal import BrokerRefusal
from hyperspace.kernel.evaluation.attempt_log import AttemptLog
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.manifest import SandboxRequest, Timeout
from hyperspace.tracing.replaying import Playback
from hyperspace.tracing.traces import Recorder

OF_TIME = ("wall_clock", "cpu_time")
PROTOCOL = "protocol"
NOT_RECORDED = "a limit of time struck that did not in the record; is this machine busy?"


class ReplayedTimeouts(msgspec.Struct, frozen=True):
    """Recorded timeouts, which a replay obeys instead of the clock.

    Attributes:
        timeouts: Recorded timeouts by their request.
        playback: The recorded calls.
        recorder: Where calls are recorded again.
    """

    timeouts: Mapping[SandboxRequest, Timeout]
    playback: Playback
    recorder: Recorder


class TimeoutWatch:
    """Watches the requests to one sandbox."""

    def __init__(self, log: AttemptLog, broker: Broker, replayed: ReplayedTimeouts | None) -> None:
        """Watch a sandbox.

        Args:
            log: The attempt's.
            broker: The sandbox's.
            replayed: What a replay obeys; None in a run that is no replay.
        """
        self._log = log
        self._broker = broker
        self._replayed = replayed
        self._open: tuple[Timeout, int, int] | None = None
        self._others: list[BrokerRefusal] = []
        self._told = 0  # refusals of the broker that are on record

    async def request(
        self, running: Running, frame: Mapping[str, Any], timeout_s: float
    ) -> dict[str, Any]:
        """Pass a request on to the sandbox; see `Running.request`."""
        work = self._broker.work
        request = self._log.next_request(work)
        await self._obey(request)
        calls, refusals = self._log.count(work), len(self._broker.refusals)
        try:
            return await running.request(frame, timeout_s)
        except SandboxEnded as ended:
            if ended.reason in OF_TIME:
                told = printable_error(ended.detail)
                timeout = Timeout(request.ordinal, *work, told, reason=ended.reason)
                if self._replayed is not None:
                    stop = f"{timeout.purpose}: {NOT_RECORDED}"
                    raise self._replayed.playback.stop(None, stop) from ended
                self._open = (timeout, calls, refusals)
            if ended.reason == PROTOCOL:
                self._others.append(BrokerRefusal(PROTOCOL, printable_error(ended.detail), *work))
            raise

    def tell_refusals(self) -> None:
        """Put on record what was refused since the last time.

        By the broker, then what broke the protocol, and what the record says was refused when a
        limit struck.
        """
        refused, self._others = [*self._broker.refusals[self._told :], *self._others], []
        self._told = len(self._broker.refusals)
        self._log.add_refusals(refused)

    def close(self) -> None:
        """Take in what the broker has seen, now that the sandbox is gone and it is closed.

        What was in flight when the limit struck may be answered until then.
        """
        if self._open is not None:
            timeout, calls, refusals = self._open
            made = self._log.count((timeout.purpose, timeout.item)) - calls
            refused = tuple(self._broker.refusals[refusals:])
            timed_out = msgspec.structs.replace(timeout, calls=made, refusals=refused)
            self._log.timeouts.append(timed_out)
        self.tell_refusals()

    async def _obey(self, request: SandboxRequest) -> None:
        replayed = self._replayed
        timeout = None if replayed is None else replayed.timeouts.get(request)
        if replayed is None or timeout is None:
            return
        for call in replayed.playback.take(timeout.purpose, timeout.item, timeout.calls):
            await replayed.recorder.repeat(call)
        self._log.timeouts.append(timeout)
        self._others.extend(timeout.refusals)
        raise SandboxEnded(timeout.reason, timeout.detail)


class TimedSandbox:
    """A started sandbox whose requests are watched; implements `Running`."""

    def __init__(self, running: Running, watch: TimeoutWatch) -> None:
        self._running = running
        self._watch = watch

    @property
    def workspace(self) -> Path:
        """See `Running`."""
        return self._running.workspace

    def tell_refusals(self) -> None:
        """Put on record what was refused so far; see `TimeoutWatch`."""
        self._watch.tell_refusals()

    @property
    def inside_path(self) -> str:
        """See `Running`."""
        return self._running.inside_path

    async def request(self, frame: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send one frame and wait for the next one back; see `Running`."""
        return await self._watch.request(self._running, frame, timeout_s)

    def cpu_s(self) -> float | None:
        """See `Running`."""
        return self._running.cpu_s()

    async def finish(self) -> int:
        """End every process inside; see `Running`."""
        return await self._running.finish()
