"""Jobs in processes and sandboxes of this machine."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from guards.sandboxes.cards import visible_cards
from guards.sandboxes.choose import choose
from hyperspace.executor.commands import play_commands
from hyperspace.executor.confined import Given, play_confined
from hyperspace.executor.errors import ExecutorUsageError
from hyperspace.executor.items import play_items
from hyperspace.executor.jobs import CommandJob, ConfinedJob, ExecutorJob
from hyperspace.executor.local.cards import CardPool
from hyperspace.executor.queue import Try


class LocalBackend:
    """This machine, as it is; implements `JobBackend`."""

    def __init__(
        self,
        folder: Callable[[Try], Path],
        env: Mapping[str, str],
        data: Mapping[str, Path] = MappingProxyType({}),
    ) -> None:
        """Name where commands work.

        Args:
            folder: Returns the folder in which a job's commands work.
            env: Their environment.
            data: Folders that confined jobs may read, by the SHA-256 that jobs know them by.
        """
        self._folder = folder
        self._env = env
        self._cards = CardPool(visible_cards)
        self._data = data

    def check(self, job: ExecutorJob) -> None:
        """Check that this machine has what a job needs; see `JobBackend`."""
        resources, cores = job.resources, len(os.sched_getaffinity(0))
        if resources.gpus and not isinstance(job, ConfinedJob):
            raise ExecutorUsageError(
                f"a slot is to have {resources.gpus:g} GPUs, and slots of this machine have none; "
                "leave gpus out, or name a cluster with --executor ray://HOST:PORT"
            )
        self._cards.check(resources.gpus)
        if isinstance(job, ConfinedJob):
            for name, sha256 in (job.data or {}).items():
                if sha256 not in self._data:
                    raise ExecutorUsageError(
                        f"a job reads data {name!r} that nobody has named here; name its folder"
                    )
        if resources.cpus > cores:
            raise ExecutorUsageError(
                f"a slot is to have {resources.cpus:g} cores, and this machine has {cores}; "
                "name fewer"
            )

    async def play(self, attempt: Try) -> None:
        """Play one try; see `JobBackend`."""
        job, callbacks = attempt.job, attempt.callbacks
        if isinstance(job, CommandJob):
            folder = self._folder(attempt)
            outcome = await play_commands(job, folder, self._env, callbacks.told)
        else:
            sandbox = choose(job.sandbox, needs_boundary=True).sandbox
            label = f"job-{attempt.fence[:12]}"
            try:
                if isinstance(job, ConfinedJob):
                    async with self._cards.held(job.resources.gpus) as cards:
                        folders = {name: self._data[of] for name, of in (job.data or {}).items()}
                        given = Given(cards, folders)
                        outcome = await play_confined(job, sandbox, label, callbacks.told, given)
                else:
                    outcome = await play_items(job, sandbox, label, callbacks)
            finally:
                sandbox.sweep(label)
        attempt.keep(outcome)
