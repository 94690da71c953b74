"""Cards of this machine: each held by one job at a time, and needed only where a job is played."""

from contextlib import closing
from pathlib import Path

import anyio
import msgspec
import pytest

from guards.sandboxes.cards import VISIBLE
from hyperspace.executor.base import JobCallbacks
from hyperspace.executor.errors import ExecutorUsageError
from hyperspace.executor.jobs import ConfinedJob, JobOutcome, job_id
from hyperspace.executor.journal import Journal
from hyperspace.executor.local.backend import LocalBackend
from hyperspace.executor.local.cards import CardPool
from hyperspace.executor.queue import queued
from hyperspace.executor.resources import Resources

pytestmark = pytest.mark.anyio


async def test_a_card_is_held_by_one_job_at_a_time() -> None:
    pool = CardPool(lambda: (0, 2))
    holding: list[int] = []
    seen: set[tuple[int, ...]] = set()

    async def play() -> None:
        async with pool.held(1) as (card,):
            assert card not in holding
            holding.append(card)
            await anyio.sleep(0.001)
            seen.add(tuple(sorted(holding)))
            holding.remove(card)

    async with anyio.create_task_group() as tasks:
        for _ in range(7):
            tasks.start_soon(play)
    assert (0, 2) in seen
    assert holding == []


async def test_a_job_that_is_cancelled_gives_its_card_back() -> None:
    pool = CardPool(lambda: (0,))
    async with pool.held(1):
        with anyio.move_on_after(0.01) as waiting:
            async with pool.held(1):
                pass
        assert waiting.cancelled_caught
    with anyio.move_on_after(0.01):
        async with pool.held(1):
            await anyio.sleep_forever()
    with anyio.fail_after(60):
        async with pool.held(1) as cards:
            assert cards == (0,)


async def test_who_needs_no_card_asks_for_none() -> None:
    def find() -> tuple[int, ...]:
        raise AssertionError

    pool = CardPool(find)
    pool.check(0)
    async with pool.held(0) as cards:
        assert cards == ()


def test_more_cards_than_there_are_and_parts_of_one_are_refused() -> None:
    pool = CardPool(lambda: (1,))
    pool.check(1)
    with pytest.raises(ExecutorUsageError, match="2 GPUs, and this machine has 1"):
        pool.check(2)
    with pytest.raises(ExecutorUsageError, match=r"0\.5 GPUs, .* ask for 1"):
        pool.check(0.5)


async def test_a_job_on_record_needs_no_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VISIBLE, "")
    job = ConfinedJob(
        command=("{python}",),
        files={},
        artefacts={},
        run_s=1.0,
        cpu_s=1,
        sandbox="bubblewrap",
        resources=Resources(gpus=1),
    )
    backend = LocalBackend(lambda attempt: tmp_path / attempt.id, {})
    with closing(Journal(tmp_path / "jobs.db")) as journal:
        await on_record(job, journal, backend)


async def on_record(job: ConfinedJob, journal: Journal, backend: LocalBackend) -> None:
    journal.keep(job_id(job), journal.begin(job_id(job)), JobOutcome(state="done", lines=(b"x",)))
    async with queued(backend, 1, journal) as executor:
        again = await executor.submit(job, JobCallbacks())
        assert (await executor.wait(again)).lines == (b"x",)
        other = msgspec.structs.replace(job, cpu_s=2)
        with pytest.raises(ExecutorUsageError, match="1 GPUs, and this machine has 0"):
            await executor.submit(other, JobCallbacks())
