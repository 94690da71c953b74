"""Executors that are not of this machine alone."""

from contextlib import AbstractAsyncContextManager

from hyperspace.executor.journal import Journal
from hyperspace.executor.queue import QueuedExecutor
from hyperspace.executor.resources import Resources


def elsewhere(
    name: str, slots: int | None, resources: Resources, journal: Journal
) -> AbstractAsyncContextManager[QueuedExecutor]:
    """Return the executor of a cluster, to be opened in the main thread.

    Args:
        name: Any but `local`.
        slots: How many jobs at a time; None for as many as fit.
        resources: What a job holds.
        journal: Keeps what comes of jobs.
    """
    from hyperspace.executor.ray.backend import ray_executor  # which most command lines do without

    return ray_executor(name, slots, resources, journal)
