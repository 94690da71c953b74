"""Jobs as tasks of a Ray cluster, on nodes that have proved their sandbox."""

import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

import anyio
import anyio.to_thread
import msgspec

from hyperspace.executor.background import background
from hyperspace.executor.door.door import Door, open_door
from hyperspace.executor.door.wire import TryCall
from hyperspace.executor.errors import (
    ExecutorUnavailable,
    ExecutorUsageError,
    MachineFailed,
    WorkerEnded,
)
from hyperspace.executor.jobs import CommandJob, ConfinedJob, ExecutorJob, JobId
from hyperspace.executor.journal import Journal
from hyperspace.executor.program import installed
from hyperspace.executor.queue import QueuedExecutor, Try, queued
from hyperspace.executor.ray.board import BEAT_S, BoardEntry, RunningJob
from hyperspace.executor.ray.cluster import WHAT_TO_DO, Cluster, connected, require_listener
from hyperspace.executor.ray.library import submodule
from hyperspace.executor.ray.nodes import ClusterNode, as_ray_names
from hyperspace.executor.ray.worker import Complaint, play
from hyperspace.executor.resources import Resources

_POLL_S: Final = 1.0  # between looks at which nodes there are, and at a task
_LONGEST_WORDS: Final = 300
_RETURN_S: Final = 30.0  # between the end of a worker's call and that of its task
_PATIENCE_S: Final = 50.0  # without an answer; after a minute Ray itself ends this process


class RayBackend:
    """Plays jobs on the nodes of a cluster; implements `JobBackend`."""

    def __init__(self, cluster: Cluster, door: Door) -> None:
        self._cluster = cluster
        self._door = door
        self._nodes: dict[str, ClusterNode] = {}
        self._busy: Counter[str] = Counter()
        self._running: dict[str, RunningJob] = {}
        self._unfit: dict[JobId, set[str]] = {}
        self._doubtful: set[str] = set()
        self._looking = anyio.Lock()

    def check(self, job: ExecutorJob) -> None:
        """Check that some node has what a job needs; see `JobBackend`."""
        if isinstance(job, ConfinedJob) and job.data:
            raise ExecutorUsageError(
                "a job reads folders of this machine, which nodes of a cluster do not have; leave "
                "--executor out"
            )
        if self.capacity(job.resources):
            return
        wanted = as_ray_names(job.resources)
        for name, amount in wanted.items():
            most = max((node.resources.get(name, 0.0) for node in self._admitted()), default=0.0)
            if most < amount:
                what = {"CPU": "cores", "GPU": "GPUs"}.get(name, "bytes of memory")
                raise ExecutorUsageError(
                    f"a slot is to have {amount:g} {what}, and no node of the cluster has more "
                    f"than {most:g}; ask for less, or add a node that has them"
                )
        raise ExecutorUsageError(f"no node of the cluster has all of {wanted}; ask for less")

    def capacity(self, resources: Resources) -> int:
        """Return how many jobs with these resources fit on all nodes that are not refused."""
        return sum(node.slots(resources) for node in self._admitted())

    def refused(self) -> dict[str, str]:
        """Return why nodes are refused, by their ids."""
        refusals = {id_: node.refusal(installed()) for id_, node in self._nodes.items()}
        return {id_: why for id_, why in refusals.items() if why}

    async def look(self) -> None:
        """Look which nodes there are, and examine those that are new, or were unfit.

        Raises:
            ExecutorUnavailable: None of them may play jobs; says why.
        """
        async with self._looking:
            alive = {node.id: node for node in await self._nodes_alive()}
            seen, self._doubtful = self._nodes.keys() - self._doubtful, set()
            new = [node for id_, node in alive.items() if id_ not in seen]
            examined = await anyio.to_thread.run_sync(self._cluster.examine, new) if new else []
            known = {id_: node for id_, node in self._nodes.items() if id_ in alive}
            self._nodes = known | {node.id: node for node in examined}
        if not self._admitted():
            refusals = [f"{self._nodes[id_].host}: {why}" for id_, why in self.refused().items()]
            raise ExecutorUnavailable(
                f"no node of the cluster may play jobs: {'; '.join(refusals) or 'there is none'}; "
                f"{WHAT_TO_DO}"
            )

    async def play(self, attempt: Try) -> None:
        """Play one try; see `JobBackend`."""
        node = await self._free_node(attempt)
        self._busy[node.id] += 1
        label = attempt.callbacks.label
        self._running[attempt.fence] = RunningJob(label, node.id, time.time())
        try:
            with self._door.expecting(attempt):
                await self._play_on(node, attempt)
        finally:
            self._busy[node.id] -= 1
            del self._running[attempt.fence]

    async def tell(self) -> None:
        """Tell the cluster's table what runs where, for as long as jobs are played.

        Raises:
            ExecutorUnavailable: The cluster is gone: Ray itself would end this process for that.
        """
        board, where = BoardEntry(), self._cluster.reached_at
        answered, is_told, is_away = time.monotonic(), False, False
        try:
            while time.monotonic() - answered < _PATIENCE_S:
                jobs, refused = list(self._running.values()), self.refused()
                try:
                    await anyio.to_thread.run_sync(require_listener, where, BEAT_S)
                    if not is_told:  # who was never told may be there all the same
                        answered = time.monotonic()
                    await anyio.to_thread.run_sync(board.tell, jobs, refused)
                    answered, is_told, is_away = time.monotonic(), True, False
                except Exception:  # of Ray, of many kinds: it is away, or another one by now
                    is_away = True
                await anyio.sleep(_POLL_S if is_away else BEAT_S)
        finally:
            if is_told and not is_away:
                with suppress(Exception):  # of Ray: the cluster may be gone
                    board.clear()
        self._cluster.is_gone = True
        raise ExecutorUnavailable(
            f"the cluster at {where} has gone, or was started anew; {WHAT_TO_DO}"
        )

    async def _play_on(self, node: ClusterNode, attempt: Try) -> None:
        address = self._door.address
        label = attempt.callbacks.label
        call = TryCall(address.host, address.port, attempt.id, attempt.fence, label)
        task = self._cluster.on_node(play, node.id, **ray_options(attempt.job.resources))
        encode = msgspec.msgpack.encode
        reference = task.remote(encode(call), encode(attempt.job))
        try:
            complaint = await self._result(reference, node, attempt)
        except anyio.get_cancelled_exc_class():
            # The door hangs up, and with that the worker ends what it plays, politely. A task
            # that has not begun is taken back.
            with suppress(Exception):  # of Ray: the worker may have ended by itself
                self._cluster.ray.cancel(reference, force=False)
            raise
        if complaint.is_unfit:
            self._unfit.setdefault(attempt.id, set()).add(node.id)
            self._doubtful.add(node.id)
        if complaint.words:
            raise MachineFailed(complaint.words)

    async def _result(self, reference: Any, node: ClusterNode, attempt: Try) -> Complaint:
        """Return what a task came to.

        Where a network is cut, Ray may lose what a task returns, and waits for it for ever: a
        worker that has hung up returns within moments, or its try is lost.

        Raises:
            WorkerEnded: Its process ended.
            MachineFailed: Its node went away, or what it returned was lost.
        """
        errors = submodule("exceptions")
        # A thread that is left in Ray when it shuts down ends the whole process: it comes back.
        get = partial(self._cluster.ray.get, reference, timeout=_POLL_S)
        alone = anyio.CapacityLimiter(1)
        while True:
            try:
                return Complaint(*await anyio.to_thread.run_sync(get, limiter=alone))
            except errors.GetTimeoutError:
                if self._door.quiet_s(attempt) < _RETURN_S:
                    continue
                with suppress(Exception):  # of Ray: it may know nothing of the task any more
                    self._cluster.ray.cancel(reference, force=False)
                raise MachineFailed(f"{node.host}: what a worker returned was lost") from None
            except (errors.WorkerCrashedError, errors.OutOfMemoryError) as error:
                if all(other.id != node.id for other in await self._nodes_alive()):
                    raise MachineFailed(f"{node.host} went away") from error
                raise WorkerEnded(f"on {node.host} the worker ended: {_words(error)}") from error
            except errors.RayError as error:
                raise MachineFailed(f"{node.host}: {_words(error)}") from error

    async def _free_node(self, attempt: Try) -> ClusterNode:
        """Return the node with the most free slots; waits until there is one.

        One that was unfit for the job is taken again only where no other can play it.
        """
        job, unfit = attempt.job, self._unfit.get(attempt.id, set())
        while True:
            await self.look()
            nodes = [node for node in self._admitted() if has_sandbox(node, job)]
            others = [node for node in nodes if node.id not in unfit]
            nodes = [node for node in others if node.slots(job.resources)] or nodes
            free = {node.id: node.slots(job.resources) - self._busy[node.id] for node in nodes}
            best = max(nodes, key=lambda node: free[node.id], default=None)
            if best is not None and free[best.id] > 0:
                return best
            await anyio.sleep(_POLL_S)

    async def _nodes_alive(self) -> list[ClusterNode]:
        has_returned = threading.Event()

        def ask() -> list[ClusterNode]:
            try:
                return self._cluster.nodes()
            finally:
                has_returned.set()

        alone = anyio.CapacityLimiter(1)
        try:
            return await anyio.to_thread.run_sync(ask, abandon_on_cancel=True, limiter=alone)
        except anyio.get_cancelled_exc_class():
            if not self._cluster.is_gone:  # else it returns no more
                # A thread that is in Ray when that shuts down ends the process.
                wait = partial(has_returned.wait, _POLL_S)
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(wait, limiter=anyio.CapacityLimiter(1))
            raise

    def _admitted(self) -> list[ClusterNode]:
        return [node for node in self._nodes.values() if not node.refusal(installed())]


def has_sandbox(node: ClusterNode, job: ExecutorJob) -> bool:
    """Return whether a node has the sandbox that a job names."""
    report = node.report
    if report is None or isinstance(job, CommandJob):
        return report is not None
    return report.sandboxes.get(job.sandbox, "missing") == ""


def ray_options(resources: Resources) -> Mapping[str, float]:
    """Return what a task of a job asks Ray for."""
    memory = {"memory": float(resources.memory_bytes)} if resources.memory_bytes else {}
    return {"num_cpus": resources.cpus, "num_gpus": resources.gpus, **memory}


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:_LONGEST_WORDS]


@asynccontextmanager
async def ray_executor(
    address: str, slots: int | None, resources: Resources, journal: Journal
) -> AsyncGenerator[QueuedExecutor]:
    """Open an executor on a cluster; see `connected` for the address.

    Args:
        address: `ray`, or `ray://HOST:PORT`.
        slots: How many jobs at a time; None for as many as fit.
        resources: What a job holds.
        journal: Keeps what comes of jobs.

    Raises:
        ExecutorUnavailable: There is no cluster, or no node of it may play jobs; says why.
        ExecutorUsageError: The address is none, or a slot asks for what no node has.
    """
    cpus = None if slots is None else slots * resources.cpus
    with connected(address, cpus) as cluster:
        async with open_door(cluster.own_host) as door, background() as tasks:
            backend = RayBackend(cluster, door)
            await backend.look()
            fits = backend.capacity(resources)
            tasks.start_soon(backend.tell)
            async with queued(backend, max(1, min(slots or fits, fits)), journal) as executor:
                yield executor
