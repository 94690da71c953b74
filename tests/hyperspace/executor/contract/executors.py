"""The executors that the contract is held against, each opened the way that runs open it."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from hyperspace.executor.base import Executor
from hyperspace.executor.choose import elsewhere
from hyperspace.executor.journal import Journal
from hyperspace.executor.local.backend import LocalBackend
from hyperspace.executor.queue import queued
from hyperspace.executor.resources import Resources

CLUSTER = "TESTED_CLUSTER"
ENV = {"PATH": "/usr/bin:/bin"}


@asynccontextmanager
async def local(folder: Path, slots: int) -> AsyncGenerator[Executor]:
    """Open slots of this machine.

    Args:
        folder: Where the record of jobs and their folders lie.
        slots: How many jobs are played at a time.
    """
    backend = LocalBackend(lambda attempt: folder / attempt.id, ENV)
    async with queued(backend, slots, Journal(folder / "jobs.db")) as executor:
        yield executor


@asynccontextmanager
async def ray(folder: Path, slots: int) -> AsyncGenerator[Executor]:
    """Open slots of the cluster that the variable CLUSTER names."""
    journal = Journal(folder / "jobs.db")
    async with elsewhere(os.environ[CLUSTER], slots, Resources(cpus=0.5), journal) as executor:
        yield executor


OPENED = {"local": local, "ray": ray}
