"""The sandboxes of one attempt, each with its own broker; what brokers refuse goes on record."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager

import msgspec

from guards.sandboxes.sandbox import Job, Limits, Program, Sandbox
from hyperspace.broker.broker import Broker, RaiseNeed
from hyperspace.kernel.evaluation.attempt_log import AttemptLog
from hyperspace.kernel.evaluation.remote_items import Ahead, Elsewhere, remote_items
from hyperspace.kernel.evaluation.timeouts import ReplayedTimeouts, TimedSandbox, TimeoutWatch
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.manifest import Role
from hyperspace.kernel.state.rng import derive_seed
from hyperspace.models.base import Model
from hyperspace.tracing.traces import Recorder

START_CPU_S = 1  # of a bounded answer, for the start of Python and of the agent's own code
CODE_SHARES = 3  # of a sandbox's bounds for a block of 60 items of code: one for every 20
KEPT_SHARES = CODE_SHARES + 1  # where at most `blocks.MOST_ITEMS_BEFORE` items are before them


class Pace(msgspec.Struct, frozen=True):
    """Wall-clock limits, generous because they only stop what hangs.

    Attributes:
        modify_s: One run of a meta agent.
        item_s: One prediction.
        gate_s: All gates together.
    """

    modify_s: float = 1800.0
    item_s: float = 300.0
    gate_s: float = 300.0


class AttemptSandboxes(msgspec.Struct, frozen=True, kw_only=True):
    """Starts the sandboxes of one attempt.

    Attributes:
        sandbox: Where untrusted code runs.
        limits: Resource bounds of each sandbox.
        label: Names the run's sandboxes, so that leftovers can be found.
        config: The run's.
        agent: Whose attempt it is.
        generation: At which generation.
        attempt: Name of the attempt.
        seeds: Modules as agents start with them; most sandboxes hold most of them.
        recorder: Records the model calls.
        log: Takes what brokers refuse and wall-clock limits that end a sandbox.
        replayed: What a replay obeys; None in a run that is no replay.
        raise_need: Puts questions of a modification to the principal; None where the run has no
            such tool.
        call_seeds: Whether each model call has a sampling seed of its own.
        elsewhere: Where workers are started that know before what they are asked; None for here.
    """

    sandbox: Sandbox
    limits: Limits
    label: str
    config: RunConfig
    agent: str
    generation: int
    attempt: str
    seeds: Mapping[str, bytes]
    recorder: Recorder
    log: AttemptLog
    replayed: ReplayedTimeouts | None
    raise_need: RaiseNeed | None = None
    elsewhere: Elsewhere | None = None
    call_seeds: bool = False
    what_is_left: Callable[[], str] | None = None

    def model_seed(self, *parts: str) -> int:
        """Return the sampling seed of the first call made for some part of the attempt."""
        return derive_seed(
            self.config.root_seed, "model", self.agent, self.generation, *filter(None, parts)
        )

    @asynccontextmanager
    async def start(
        self,
        program: Program,
        files: Mapping[str, bytes],
        model: Model,
        role: Role = "",
        in_pass: str = "",
        cpu_s: int | None = None,
        ahead: Ahead | None = None,
        shares: int = 1,
        *,
        is_ours: bool = False,
    ) -> AsyncGenerator[tuple[TimedSandbox, Broker]]:
        """Start a sandbox with its own broker.

        Candidates and passes have sampling seeds of their own: a repeated question is another
        draw. Where CPU seconds are given, the program works alone within them. Where it is known
        `ahead` what is asked, the sandbox may be elsewhere. It has so many `shares` of the bounds
        of one sandbox, but for its memory. `is_ours` says that the code is what the run began with.
        """
        limits = self.limits if shares == 1 else _several(self.limits, shares)
        if cpu_s is not None:
            own = cpu_s + START_CPU_S
            limits = msgspec.structs.replace(limits, cpu_s=min(limits.cpu_s, own), alone=True)
        seed = self.model_seed(role, in_pass)
        broker = Broker(
            model,
            self.recorder,
            label=self.label,
            seed=seed,
            call_seeds=self.call_seeds,
            attempt=self.attempt,
            raise_need=self.raise_need if program == "modify" else None,
            is_ours=is_ours,
            what_is_left=self.what_is_left if program == "modify" else None,
        )
        watch = TimeoutWatch(self.log, broker, self.replayed)
        try:
            async with broker:
                job = Job(
                    program,
                    files,
                    broker,
                    limits,
                    self.label,
                    broker.paused_s,
                    shared=self.seeds,
                )
                started = self.sandbox.start(job)
                if ahead is not None and self.elsewhere is not None:
                    started = remote_items(self.elsewhere, job, ahead)
                async with started as running:
                    try:
                        yield TimedSandbox(running, watch), broker
                    finally:
                        await broker.close()  # no call goes on for a sandbox that is taken down
        finally:
            watch.close()


def _several(limits: Limits, shares: int) -> Limits:
    return msgspec.structs.replace(
        limits,
        wall_s=shares * limits.wall_s,
        cpu_s=shares * limits.cpu_s,
        # What runs at a time does not add up: at the gates there may be as many as afterwards.
        processes=min(shares, CODE_SHARES) * limits.processes,
        open_files=shares * limits.open_files,
        disk_bytes=shares * limits.disk_bytes,
        output_bytes=shares * limits.output_bytes,
    )
