"""Plays one agent on the least task, generation after generation, and notes what each one costs.

    python -m benchmarks.long_run RUN LOG LAST

Appends a line of JSON to LOG for each generation that is closed, and a first one when the first
step is reached. Is killed by itself, as by a power cut, when generation LAST is closed.
"""

import os
import resource
import signal
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
import msgspec

from benchmarks import trivial
from guards.sandboxes.choose import choose
from hyperspace.kernel.events import Event, GenerationClosed, Observer, StepReached
from hyperspace.kernel.generation.rounds import Rounds
from hyperspace.kernel.generation.run_context import Participant, RunContext, run_label
from hyperspace.kernel.run.limits import open_ledger
from hyperspace.kernel.run.run import play
from hyperspace.kernel.selection.named import selection_of
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.closings import ClosingOrder
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import Heartbeat
from hyperspace.kernel.state.opening import new_record, working
from hyperspace.kernel.state.steering.command_queue import CommandQueue
from hyperspace.kernel.state.terms import Terms
from hyperspace.kernel.views.run_logs import RunLogs
from hyperspace.options.launch import LaunchOptions
from hyperspace.workspace.seed_code import runtime_files, seed_files

ENDLESS = 1_000_000


class Sample(msgspec.Struct, frozen=True):
    """Resources that this process has used up to a moment.

    Attributes:
        generation: The last one that was closed; -1 before the first step.
        at_s: Reading of the machine's monotonic clock.
        cpu_s: CPU time, without that of sandboxes.
        written: Bytes that were handed to the kernel to write.
        rss_kib: Resident memory.
    """

    generation: int
    at_s: float
    cpu_s: float
    written: int
    rss_kib: int


def sample(generation: int) -> Sample:
    """Read the counters of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    io = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Sample(
        generation,
        time.monotonic(),
        used.ru_utime + used.ru_stime,
        int(io["wchar"]),
        pages * resource.getpagesize() // 1024,
    )


class Notes:
    """An observer that writes samples down, and ends the process after a generation."""

    def __init__(self, log: Path, last: int) -> None:
        self._file = log.open("ab", buffering=0)
        self._last = last
        self._is_at_work = False

    def __call__(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, StepReached) and not self._is_at_work:
            self._is_at_work = True
            self._note(-1)
        if isinstance(event, GenerationClosed) and self._is_at_work:
            self._note(event.generation)
            if event.generation >= self._last:
                os.kill(os.getpid(), signal.SIGKILL)

    def _note(self, generation: int) -> None:
        self._file.write(msgspec.json.encode(sample(generation)) + b"\n")


def read_samples(log: Path) -> list[Sample]:
    """Read what was noted."""
    decode = partial(msgspec.json.decode, type=Sample)
    return [decode(line) for line in log.read_bytes().splitlines()]


@contextmanager
def opened(
    run: Path, observer: Observer, agents: Sequence[str] = (trivial.NAME,), last: int = ENDLESS
) -> Generator[tuple[RunContext, Heartbeat]]:
    """Become the coordinator of a run on the least task.

    Args:
        run: Its folder.
        observer: Told what happens.
        agents: Names of those who play.
        last: The last generation of each.
    """
    domain, model = trivial.domain(), trivial.model()
    config = RunConfig(
        kind="pair" if len(agents) < 3 else "fleet",
        domain=domain.name,
        data_sha256=domain.data_sha256,
        models=(model.name,) * len(agents),
        agents=tuple(agents),
        eval_model=None,
        generations=last,
        seed=1,
    )
    folder, sandbox = RunFolder(run), choose("auto", needs_boundary=True).sandbox
    record = new_record(config, sandbox.name, ("benchmark",))
    terms, archives = Terms(), {name: Archive(name) for name in agents}
    with (
        working(folder, record) as opened,
        open_ledger(folder.ledger, terms.limits) as ledger,
    ):
        context = RunContext(
            config=config,
            options=LaunchOptions(models=config.models, domain=config.domain),
            folder=folder,
            steering=CommandQueue(opened.marks, opened.writer),
            marks=opened.marks,
            writer=opened.writer,
            logs=RunLogs(folder, config.agents),
            ledger=ledger,
            prices=terms.table(),
            domain=domain,
            rounds=Rounds(config, domain),
            sandbox=sandbox,
            participants=tuple(
                Participant(name, turn, model, model) for turn, name in enumerate(agents)
            ),
            archives=archives,
            order=ClosingOrder(opened.marks, archives),
            seed_code=_seed(domain.seed_files()["task_agent.py"]),
            runtime=runtime_files(),
            select=selection_of(config),
            emit=observer,
            label=run_label(folder.root),
        )
        yield context, opened.heartbeat


def main(run: str, log: str, last: str) -> None:
    """Play, from wherever the run is."""
    with opened(Path(run), Notes(Path(log), int(last))) as (context, heartbeat):
        anyio.run(play, context, heartbeat, lambda: None)


def _seed(task_agent: bytes) -> dict[str, str]:
    return {path: data.decode() for path, data in seed_files().items()} | {
        "task_agent.py": task_agent.decode()
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
