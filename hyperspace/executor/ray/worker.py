"""What runs on a node: the examination of the node, and one try at a job."""

import errno
import os
import shutil
import socket
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
import msgspec

from guards.sandboxes.cards import visible_cards
from guards.sandboxes.choose import choose
from guards.sandboxes.doctor import examine_boundaries
from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.sandbox import BrokerDoors, SandboxError
from hyperspace.executor.commands import play_commands
from hyperspace.executor.confined import Given, play_confined
from hyperspace.executor.door.caller import Caller, broker_line, calling
from hyperspace.executor.door.wire import TryCall
from hyperspace.executor.environment import for_commands, secrets_in
from hyperspace.executor.errors import MachineFailed, MachineUnfit, TryLost
from hyperspace.executor.items import play_items
from hyperspace.executor.jobs import CommandJob, ConfinedJob, ExecutorJob, ItemsJob, JobOutcome
from hyperspace.executor.program import installed

_JOBS: Final = "jobs"


def examine() -> dict[str, Any]:
    """Examine the node: sandboxes are attacked, versions and free space read.

    Returns:
        The fields of a `NodeReport`, as plain values.
    """
    folder = own_folder()
    version = installed()
    return {
        "host": socket.gethostname(),
        "python": version.python,
        "code": version.code,
        "sandboxes": {
            check.name: "" if check.usable else check.why_not for check in examine_boundaries()
        },
        "secrets": secrets_in(os.environ),
        "folder": str(folder),
        "free_bytes": shutil.disk_usage(folder).free,
    }


class Complaint(NamedTuple):
    """Why a try was lost.

    Attributes:
        words: With the machine's name; empty where nothing was lost.
        is_unfit: Whether the machine could not do its part.
    """

    words: str = ""
    is_unfit: bool = False


def play(call: bytes, job: bytes) -> Complaint:
    """Play one try at a job, and hand over what came of it.

    Returns:
        Empty with the receipt.
    """
    order = msgspec.msgpack.decode(call, type=TryCall)
    try:
        anyio.run(_play, order, msgspec.msgpack.decode(job, type=ExecutorJob))
    except TryLost as lost:
        return Complaint(f"{socket.gethostname()}: {lost}", isinstance(lost, MachineUnfit))
    return Complaint()


async def _play(call: TryCall, job: ExecutorJob) -> None:
    async with calling(call) as caller:
        with caller.playing:
            await play_for(caller, call, job)
        if caller.playing.cancelled_caught:
            raise MachineFailed("the coordinator gave the try up, or has ended")


async def play_for(caller: Caller, call: TryCall, job: ExecutorJob) -> None:
    """Play a job, and hand over what came of it; then its folder goes."""
    if not isinstance(job, CommandJob):
        await caller.hand_over(await play_in_sandbox(call, job, caller))
        return
    folder = own_folder() / _JOBS / call.job
    private = folder.with_suffix(".private")
    env = for_commands(os.environ, str(private))
    outcome = await play_commands(job, folder, env, caller.callbacks(None).told)
    raise_if_full(folder, outcome)
    await caller.hand_over(outcome)
    for path in (folder, private):
        shutil.rmtree(path, ignore_errors=True)


async def play_in_sandbox(call: TryCall, job: ItemsJob | ConfinedJob, caller: Caller) -> JobOutcome:
    """Play in a sandbox of this node, with a line to the coordinator's broker if it is needed."""
    try:
        sandbox = choose(job.sandbox, needs_boundary=True).sandbox
    except SandboxError as error:
        raise MachineUnfit(str(error)) from error
    label = f"job-{call.fence[:12]}"
    async with AsyncExitStack() as stack:
        broker: BrokerDoors | None = None
        if isinstance(job, ItemsJob) and job.asks_model:
            broker = await stack.enter_async_context(broker_line(call))
        try:
            if isinstance(job, ConfinedJob):
                cards = visible_cards() if job.resources.gpus else ()  # those that Ray set aside
                told = caller.callbacks(None).told
                return await play_confined(job, sandbox, label, told, Given(cards))
            return await play_items(job, sandbox, label, caller.callbacks(broker))
        finally:
            sandbox.sweep(label)


def raise_if_full(folder: Path, outcome: JobOutcome) -> None:
    """Tell a full disk from a job that failed: a program may have said that in its own words.

    Raises:
        MachineUnfit: Nothing more can be written here.
    """
    if outcome.state == "done":
        return
    probe = folder / ".room"
    try:
        probe.write_bytes(bytes(65_536))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise MachineUnfit(f"the disk is full below {folder.parent}") from error
        raise MachineUnfit(f"{folder}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
