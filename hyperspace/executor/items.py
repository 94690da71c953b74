"""Requests of a job, asked of one fresh sandbox until it ends."""

import msgspec

from guards.sandboxes.sandbox import Job, Sandbox, SandboxEnded, SandboxError
from hyperspace.executor.base import JobCallbacks
from hyperspace.executor.errors import MachineUnfit
from hyperspace.executor.jobs import ItemsJob, JobOutcome


class Replied(msgspec.Struct, frozen=True, tag="reply"):
    """What a sandbox said to one request.

    Attributes:
        frame: The reply.
    """

    frame: msgspec.Raw


class CodeEnded(msgspec.Struct, frozen=True, tag="ended"):
    """The code ended its sandbox before it replied (`sandbox.SandboxEnded`).

    Attributes:
        reason: Which way.
        detail: One line for people.
    """

    reason: str
    detail: str


ItemLine = Replied | CodeEnded
LINES = msgspec.json.Decoder(ItemLine)


async def play_items(
    job: ItemsJob, sandbox: Sandbox, label: str, callbacks: JobCallbacks
) -> JobOutcome:
    """Ask a fresh sandbox each request of a job; where the code ends it, the others are not asked.

    Args:
        job: The job.
        sandbox: Where its code runs.
        label: Names what is started, so that leftovers can be found.
        callbacks: Tell when a request may begin, and where the model is reached.

    Raises:
        MachineUnfit: The sandbox could not be started or spoken to.
    """
    lines: list[bytes] = []

    def tell(line: ItemLine) -> None:
        lines.append(msgspec.json.encode(line))
        callbacks.told(lines[-1])

    try:
        async with sandbox.start(sandbox_job(job, label, callbacks)) as running:
            for number, request in enumerate(job.requests):
                if job.asks_model:
                    await callbacks.may_begin(number)
                reply = await running.request(msgspec.json.decode(request), job.request_s)
                tell(Replied(msgspec.Raw(msgspec.json.encode(reply))))
    except SandboxEnded as ended:
        tell(CodeEnded(ended.reason, ended.detail))
    except SandboxError as error:
        raise MachineUnfit(str(error)) from error
    return JobOutcome(state="done", lines=tuple(lines))


def sandbox_job(job: ItemsJob, label: str, callbacks: JobCallbacks) -> Job:
    """Return what a sandbox is started with for a job."""
    return Job(
        "worker",
        job.files,
        callbacks.broker,
        job.limits,
        label,
        callbacks.paused_s,
        shared=job.shared,
    )
