"""A ledger on a server: limits hold for all processes together, and through kills."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hyperspace.messages import Usage
from hyperspace.models.base import LimitReached
from hyperspace.spending.budget import Bound, SpendingLimits
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_file import read_lines
from hyperspace.spending.ledger_server import LedgerServer
from markspace.errors import StaleFence
from markspace.keeping.leases import Leases
from markspace.stores.postgres import PostgresStore
from tests.hyperspace.spending.spending_process import ACCOUNT, LIMITS
from tests.support.paths import ROOT
from tests.support.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.postgres
PLAYED = settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def bound(tokens: int) -> Bound:
    """The bound of a call that takes so many tokens at most."""
    return Bound(prompt_tokens=tokens, completion_tokens=0, cost_usd=None)


def started(dsn: str, space: str, seed: int, killed_after: int) -> "subprocess.Popen[str]":
    """Start a process that spends."""
    words = ["-m", "tests.hyperspace.spending.spending_process", dsn, space]
    command = [sys.executable, *words, str(seed), str(killed_after)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


@PLAYED
@given(seeds=st.tuples(st.integers(0, 999), st.integers(0, 999)), killed_after=st.integers(0, 9))
def test_processes_that_race_for_the_last_of_a_limit_never_pass_it(
    postgres: PostgresServer, seeds: tuple[int, int], killed_after: int
) -> None:
    space = f"l{uuid4().hex[:20]}"
    PostgresStore(postgres.dsn, space).close()
    racing = [started(postgres.dsn, space, seed, killed_after * i) for i, seed in enumerate(seeds)]
    said = [process.communicate()[0].splitlines() for process in racing]
    lines = [line.split() for each in said for line in each]
    settled = sum(int(tokens) for what, tokens in lines if what == "settled")
    killed = [last for each in said for last in each[-1:] if last.startswith("reserved")]
    store = PostgresStore(postgres.dsn, space)
    with closing(store), Ledger(LedgerServer(store, None, None), LIMITS) as ledger:
        assert ledger.budget.spent.tokens == settled
        reserved = ledger.budget.reserved_tokens()
        assert settled + reserved <= 3_000
        assert reserved == sum(int(line.split()[1]) for line in killed)


def test_a_coordinator_whose_lease_was_taken_writes_no_line(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    space = f"l{uuid4().hex[:20]}"
    first, second = (PostgresStore(postgres.dsn, space) for _ in range(2))
    lost = Leases(first).acquire("coordinator", "first", 0.0)
    ledger = Ledger(LedgerServer(first, lost, tmp_path / "one.jsonl"), LIMITS)
    name = ledger.try_reserve(ACCOUNT, bound(10))
    assert name is not None
    held = Leases(second).acquire("coordinator", "second", 60.0, dead=lambda _: True)
    other = Ledger(LedgerServer(second, held, tmp_path / "two.jsonl"), LIMITS)
    with pytest.raises(StaleFence):
        ledger.settle(name, Usage(5, 0), None)
    with pytest.raises(StaleFence):
        ledger.try_reserve(ACCOUNT, bound(1))
    with pytest.raises(StaleFence):
        ledger.close()
    assert [line.prompt_tokens for line in other.unknown()] == [10]
    other.close()
    first.close()
    second.close()


def test_the_copy_in_the_folder_has_every_line_and_is_made_again(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    store, copy = PostgresStore(postgres.dsn, f"l{uuid4().hex[:20]}"), tmp_path / "ledger.jsonl"
    for _ in range(2):
        with Ledger(LedgerServer(store, None, copy), LIMITS) as ledger:
            name = anyio.run(ledger.reserve, ACCOUNT, bound(10))
            ledger.settle(name, Usage(4, 0), None)
            size = ledger.sync()
            assert copy.stat().st_size == size
        copy.write_bytes(b"nonsense\n")
    with Ledger(LedgerServer(store, None, copy), LIMITS) as ledger:
        assert ledger.budget.spent.tokens == 8
        assert sum(line.__class__.__name__ == "SettledCall" for line in read_lines(copy)) == 2
    store.close()


def test_a_limit_that_others_have_reached_is_reached_here(postgres: PostgresServer) -> None:
    space, limits = f"l{uuid4().hex[:20]}", SpendingLimits(tokens=100)
    stores = [PostgresStore(postgres.dsn, space) for _ in range(2)]
    one, other = (Ledger(LedgerServer(store, None, None), limits) for store in stores)
    assert one.try_reserve(ACCOUNT, bound(60)) is not None
    with pytest.raises(LimitReached):
        other.try_reserve(ACCOUNT, bound(50))
    assert other.try_reserve(ACCOUNT, bound(40)) is not None
    for store in stores:
        store.close()
