import resource
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import anyio
import msgspec
import pytest

from hyperspace.messages import Usage
from hyperspace.models.base import LimitReached
from hyperspace.spending.budget import Bound, SpendingLimits, SpendingTotal
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_file import LedgerDamaged, read_lines
from hyperspace.spending.ledger_lines import (
    Account,
    LedgerHead,
    ReleasedCall,
    ReservedCall,
    SettledCall,
    Worked,
)

pytestmark = pytest.mark.anyio
ACCOUNT = Account("a", 3, "modify", "modify//0", "m")
EVALUATION = Account("b", 3, "val", "val/i/0", "m")
BOUND = Bound(prompt_tokens=60, completion_tokens=40, cost_usd=0.5)
USAGE = Usage(10, 2, cached_tokens=4, cache_write_tokens=3, reasoning_tokens=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


def content(path: Path) -> bytes:
    return path.read_bytes()


def append(path: Path, data: bytes) -> None:
    path.write_bytes(content(path) + data)


async def pay(ledger: Ledger, account: Account = ACCOUNT, cost_usd: float | None = 0.25) -> None:
    ledger.settle(await ledger.reserve(account, BOUND), USAGE, cost_usd)


async def test_a_reply_that_cannot_be_read_ends_its_reservation(path: Path) -> None:
    with Ledger(path, SpendingLimits(usd=1.0)) as ledger:
        ledger.count_unreadable(await ledger.reserve(ACCOUNT, BOUND), USAGE, 0.25)
        assert (ledger.budget.reserved_usd(), ledger.left_usd()) == (0.0, 0.75)
        assert ledger.unknown() == []


async def test_a_call_is_reserved_before_it_is_asked_and_settled_after(path: Path) -> None:
    with Ledger(path) as ledger:
        number = await ledger.reserve(ACCOUNT, BOUND)
        head, reserved = read_lines(path)
        ledger.settle(number, USAGE, 0.25)
        *_, settled = read_lines(path)
    assert isinstance(head, LedgerHead)
    assert isinstance(reserved, ReservedCall)
    assert isinstance(settled, SettledCall)
    assert (reserved.prompt_tokens, reserved.completion_tokens, reserved.cost_usd) == (60, 40, 0.5)
    assert (settled.agent, settled.generation, settled.purpose) == ("a", 3, "modify")
    assert (settled.prompt_tokens, settled.cached_tokens, settled.reasoning_tokens) == (10, 4, 1)


async def test_sums_are_kept_by_agent_and_purpose_and_unknown_prices_apart(path: Path) -> None:
    with Ledger(path) as ledger:
        await pay(ledger)
        await pay(ledger, EVALUATION)
        await pay(ledger, EVALUATION, cost_usd=None)
        budget = ledger.budget
    assert budget.by["a", "modify"] == SpendingTotal(1, 10, 2, 4, 3, 1, 0.25, 0)
    assert budget.of("b") == SpendingTotal(2, 20, 4, 8, 6, 2, 0.25, 1)
    assert budget.of("nobody") == SpendingTotal()
    assert budget.spent.tokens == 36


async def test_a_restart_goes_on_from_what_was_written_and_drops_a_torn_line(path: Path) -> None:
    for _ in range(2):
        with Ledger(path) as ledger:
            await pay(ledger)
        append(path, b'{"kind":"reserved","id":"9')
    with Ledger(path) as ledger:
        assert ledger.budget.of("a").calls == 2
    assert content(path).endswith(b"}\n")


async def test_what_was_in_flight_at_a_kill_stays_reserved_as_unknown(path: Path) -> None:
    dead = Ledger(path, SpendingLimits(tokens=250))
    await dead.reserve(ACCOUNT, BOUND)
    with Ledger(path, SpendingLimits(tokens=250)) as ledger:
        assert [line.call_id for line in ledger.unknown()] == ["modify//0"]
        assert ledger.budget.reserved_tokens() == 100
        for _ in range(5):
            await pay(ledger)
        with pytest.raises(LimitReached, match="60 tokens spent, 100 reserved"):
            await pay(ledger)
    dead.close()


async def test_a_call_that_may_pass_a_limit_is_never_sent(path: Path) -> None:
    with Ledger(path, SpendingLimits(usd=0.7)) as ledger:
        await pay(ledger, cost_usd=0.25)
        with pytest.raises(LimitReached, match=r"--max-usd 0\.7 is reached: \$0\.2500 spent"):
            await ledger.reserve(ACCOUNT, BOUND)
    assert sum(isinstance(line, ReservedCall) for line in read_lines(path)) == 1


async def test_calls_are_counted_with_those_that_are_reserved(path: Path) -> None:
    with Ledger(path, SpendingLimits(calls=2)) as ledger:
        await pay(ledger)
        ledger.lose(await ledger.reserve(ACCOUNT, BOUND))
        with pytest.raises(LimitReached, match="--max-calls 2 is reached: 1 calls made, 1 reserv"):
            await ledger.reserve(ACCOUNT, BOUND)


async def test_a_quota_that_was_lowered_below_what_is_spent_is_told_as_that(path: Path) -> None:
    with Ledger(path) as ledger:
        await pay(ledger)
        await pay(ledger)
        told = [
            ledger.budget.quota_obstacle(ACCOUNT.agent, SpendingLimits(calls=calls), BOUND)
            for calls in (3, 2, 1)
        ]
    assert told[0] == ""
    assert "calls 2, of which 2 are spent or reserved, and the next call may take 1;" in told[1]
    assert "calls 1, and 2 are spent or reserved, more than it allows;" in told[2]


async def test_a_call_that_was_certainly_not_billed_gives_its_reservation_back(path: Path) -> None:
    with Ledger(path, SpendingLimits(tokens=100)) as ledger:
        for _ in range(3):
            ledger.release(await ledger.reserve(ACCOUNT, BOUND))
        assert ledger.budget.reserved == {}
    assert sum(isinstance(line, ReleasedCall) for line in read_lines(path)) == 3


async def test_a_call_waits_for_those_in_flight_before_the_limit_counts_as_reached(
    path: Path,
) -> None:
    with Ledger(path, SpendingLimits(tokens=130)) as ledger:
        first = await ledger.reserve(ACCOUNT, BOUND)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pay, ledger, EVALUATION)
            await anyio.wait_all_tasks_blocked()
            assert ledger.budget.spent.calls == 0
            ledger.settle(first, USAGE, None)
        assert ledger.budget.spent.calls == 2


async def test_a_lost_call_lets_those_that_wait_learn_that_there_is_no_room(path: Path) -> None:
    with Ledger(path, SpendingLimits(tokens=130)) as ledger:
        first = await ledger.reserve(ACCOUNT, BOUND)
        refused: list[str] = []

        async def wait() -> None:
            with pytest.raises(LimitReached):
                await pay(ledger)
            refused.append("yes")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            ledger.lose(first)
        assert refused == ["yes"]
        assert len(ledger.unknown()) == 1


async def test_no_more_attempts_than_allowed_are_in_flight_over_the_run(path: Path) -> None:
    most = 0

    async def one(ledger: Ledger) -> None:
        nonlocal most
        number = await ledger.reserve(ACCOUNT, BOUND, durable=False)
        most = max(most, len(ledger.budget.reserved))
        await anyio.lowlevel.checkpoint()
        ledger.settle(number, USAGE, None)

    with Ledger(path, most_in_flight=4) as ledger:
        async with anyio.create_task_group() as tasks:
            for _ in range(50):
                tasks.start_soon(one, ledger)
    assert most == 4
    assert ledger.budget.spent.calls == 50


async def test_a_reservation_that_cannot_be_written_reserves_nothing(path: Path) -> None:
    with Ledger(path) as ledger:
        before = content(path)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
        try:
            with pytest.raises(OSError, match="File too large"):
                await ledger.reserve(ACCOUNT, BOUND)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert content(path) == before
        assert ledger.budget.reserved == {}
        await pay(ledger)
    assert len(list(read_lines(path))) == 4


async def test_working_time_is_summed_over_coordinators(path: Path) -> None:
    for _ in range(2):
        with Ledger(path, SpendingLimits(hours=1.0)) as ledger:
            await anyio.sleep(0.02)
            ledger.note_time()
    noted = [line.seconds for line in read_lines(path) if isinstance(line, Worked)]
    with Ledger(path, SpendingLimits(hours=1.0)) as ledger:
        assert ledger.worked_s() >= sum(noted) >= 0.04
        assert ledger.left_s() == pytest.approx(3600 - ledger.worked_s(), abs=0.5)
        assert Ledger(path.with_name("other")).left_s() == float("inf")


async def test_no_time_is_counted_while_all_that_are_at_work_wait(tmp_path: Path) -> None:
    def passes() -> bool:
        began, worked_s = time.monotonic(), ledger.worked_s()
        while time.monotonic() == began:
            pass
        return ledger.worked_s() > worked_s

    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        with ledger.idle():  # in rounds: whoever has its turn is alone
            assert not passes()
        with ExitStack() as second:
            second.enter_context(ledger.at_work())
            with ledger.at_work(), ledger.idle():
                assert passes()
                with ledger.idle():
                    assert not passes()
                assert passes()
                second.close()  # it has played its last generation
                assert not passes()
            assert passes()
        counted = [
            line.seconds
            for line in read_lines(tmp_path / "ledger.jsonl")
            if isinstance(line, Worked)
        ]
        assert sum(counted) == pytest.approx(ledger.worked_s(), abs=0.5)


@pytest.mark.parametrize("line", ["{}", "x", '{"kind":"ledger","format":9}', '{"call_id":"old"}'])
async def test_a_line_that_we_did_not_write_is_named(path: Path, line: str) -> None:
    with Ledger(path):
        pass
    append(path, line.encode() + b"\n")
    with pytest.raises(LedgerDamaged, match="line 3"):
        Ledger(path)


@pytest.mark.parametrize(
    "line",
    [
        '{"kind":"worked","seconds":-1,"until_utc":""}',
        '{"kind":"reserved",WHO"prompt_tokens":-1,"completion_tokens":0,"cost_usd":0,"reserved_utc":""}',
        '{"kind":"reserved",WHO"prompt_tokens":0,"completion_tokens":0,"cost_usd":-1,"reserved_utc":""}',
    ],
)
def test_a_line_that_gives_something_back_is_none_of_a_ledger(path: Path, line: str) -> None:
    who = '"id":"a","agent":"a","generation":0,"purpose":"p","call_id":"c","model":"m",'
    path.write_text(line.replace("WHO", who) + "\n")
    with pytest.raises(LedgerDamaged, match=">= 0"):
        list(read_lines(path))


@pytest.mark.long
def test_a_long_ledger_is_summed_without_being_held_in_memory(path: Path) -> None:
    script = """
import resource, sys
from pathlib import Path
from hyperspace.spending.ledger import Ledger
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ledger = Ledger(Path(sys.argv[1]))
print(ledger.budget.spent.calls, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    lines = 50_000
    with Ledger(path) as ledger:
        anyio.run(pay, ledger)
    head, reserved, settled, *_ = path.read_bytes().splitlines(keepends=True)
    with path.open("wb") as file:
        file.write(head)
        first = b'"id":"%s",' % msgspec.json.decode(reserved)["id"].encode()
        for number in range(1, lines + 1):
            name = b'"id":"s-%d",' % number
            file.write(reserved.replace(first, name) + settled.replace(first, name))
    done = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
    )
    calls, grown_kib = map(int, done.stdout.split())
    assert calls == lines
    assert path.stat().st_size > 20_000_000
    assert grown_kib < 4096
