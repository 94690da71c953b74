"""A broker under load, by clients that do what they like, with a ledger behind it."""

import json
import os
import socket
import struct
import tracemalloc
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox
from guards.sandboxes.sandbox import Job, SandboxEnded
from hyperspace.broker.broker import Broker, BrokerLimits
from hyperspace.messages import CallKey, ChatReply, ChatRequest, Usage
from hyperspace.models.base import LimitReached
from hyperspace.spending.budget import SpendingLimits
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_lines import Account
from hyperspace.spending.metered import Metered, Payer, paying
from hyperspace.spending.prices import PriceTable
from hyperspace.tracing.calls import call_id
from hyperspace.tracing.traces import Recorder, read_trace
from hyperspace.workspace.seed_code import runtime_files, seed_files
from tests.support.agent_workspace import make_workspace, run_inside
from tests.support.models import GatedModel, ListModel
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.anyio
NAME = "offline/m"
REPLY = ChatReply("hello", usage=Usage(7, 3))
MANY = """
import threading
from agent.llm_client import chat
text, lost = "x" * 40_000, []
def ask(number):
    message = {{"role": "user", "content": str(number) + text}}
    try:
        assert chat([message], {name!r})["text"] == "hello"
    except Exception as error:
        lost.append(repr(error))
threading.stack_size(256 * 1024)
threads = [threading.Thread(target=ask, args=(number,)) for number in range({count})]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(lost), lost[:3])
"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


class BusyModel(ListModel):
    """Answers after a moment and remembers how many calls it had at one time."""

    def __init__(self) -> None:
        super().__init__(NAME, [REPLY])
        self.asked = 0
        self.now = 0
        self.most = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await anyio.sleep(0.001)
        self.now -= 1
        return REPLY


class Desk(NamedTuple):
    """A broker in service, and the ledger behind it."""

    broker: Broker
    ledger: Ledger


@asynccontextmanager
async def desk(
    folder: Path,
    model: ListModel,
    broker_limits: BrokerLimits | None = None,
    limits: SpendingLimits | None = None,
) -> AsyncGenerator[Desk]:
    with Ledger(folder / "ledger.jsonl", limits) as ledger:

        def account(key: CallKey) -> AbstractContextManager[None]:
            return paying(Payer(ledger, PriceTable(), Account("a", 1, key.purpose, call_id(key))))

        with Recorder(folder / "calls.jsonl", paying=account) as recorder:
            limits_here = broker_limits or BrokerLimits()
            label = f"test{os.getpid()}"
            async with Broker(Metered(model), recorder, label=label, limits=limits_here) as broker:
                yield Desk(broker, ledger)


def frame(text: str = "hi") -> bytes:
    message = {"role": "user", "content": text}
    payload = json.dumps({"op": "chat", "model": NAME, "messages": [message]}).encode()
    return struct.pack(">I", len(payload)) + payload


def connected(broker: Broker) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(broker.folder() / "s"))
    client.setblocking(False)
    return client


@pytest.mark.long
async def test_a_thousand_requests_at_once_are_all_served_in_bounded_memory(
    tmp_path: Path,
) -> None:
    count, model = 1000, BusyModel()
    allowed = BrokerLimits(connections=8, calls_per_item=2 * count)
    program = MANY.format(name=NAME, count=count)
    async with desk(tmp_path, model, allowed) as (broker, ledger):
        tracemalloc.start()
        try:
            printed = await run_inside(make_workspace(tmp_path / "w"), program, broker)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        spent = ledger.budget.spent
    assert printed == "0 []\n"
    assert (model.asked, spent.calls, spent.tokens) == (count, count, 10 * count)
    assert model.most <= 8
    assert peak < 8_000_000  # the requests alone are 40 MB
    assert len(read_trace(tmp_path / "calls.jsonl").calls) == count


async def test_requests_wait_unread_while_others_fill_the_buffer(tmp_path: Path) -> None:
    model = GatedModel(NAME, [REPLY])
    allowed = BrokerLimits(frame_bytes=100_000, buffer_bytes=100_000)
    async with desk(tmp_path, model, allowed) as (broker, ledger):
        clients = [connected(broker) for _ in range(3)]
        for client in clients:
            client.send(frame("x" * 60_000))
        await model.asked.wait()
        await anyio.sleep(0.05)
        assert len(ledger.budget.reserved) == 1
        model.gate.set()
        for client in clients:
            with anyio.fail_after(60):
                await anyio.wait_readable(client)
        assert ledger.budget.spent.calls == 3
        for client in clients:
            client.close()


async def test_a_client_that_never_reads_is_answered_no_further_than_its_socket_holds(
    tmp_path: Path,
) -> None:
    reply = ChatReply("y" * 300_000, usage=Usage(7, 3))
    model = ListModel(NAME, [reply])
    async with desk(tmp_path, model) as (broker, _):
        client = connected(broker)
        client.send(frame() * 50)
        await anyio.sleep(0.2)
        assert 1 <= len(model.requests) <= 2
        client.close()


async def test_the_runs_limit_is_no_refusal_that_a_sandbox_sees(tmp_path: Path) -> None:
    model = ListModel(NAME, [REPLY])
    async with desk(tmp_path, model, limits=SpendingLimits(tokens=100)) as (broker, _):
        async with await anyio.connect_unix(broker.folder() / "s") as stream:
            await stream.send(frame())
            with pytest.raises(anyio.EndOfStream):
                await stream.receive()
        assert isinstance(broker.outage, LimitReached)
        assert (broker.refusals, model.requests) == ([], [])
    assert read_trace(tmp_path / "calls.jsonl").calls == ()


async def test_calls_in_flight_when_a_broker_closes_stay_reserved(tmp_path: Path) -> None:
    model = GatedModel(NAME, [REPLY])
    async with desk(tmp_path, model) as (broker, ledger):
        client = connected(broker)
        client.send(frame())
        await model.asked.wait()
        assert ledger.unknown() == []
        await broker.close()
        await anyio.wait_all_tasks_blocked()
        assert len(ledger.unknown()) == 1
        client.close()


DIES_ASKING = b"""
import os, threading, time
from agent.llm_client import chat
class TaskAgent:
    def __init__(self, model): pass
    def forward(self, inputs):
        message = [{"role": "user", "content": "hi"}]
        threading.Thread(target=chat, args=(message, "offline/m")).start()
        time.sleep(0.5)
        os._exit(3)
"""


@needs_bubblewrap
async def test_a_call_in_flight_is_cancelled_when_its_sandbox_dies(tmp_path: Path) -> None:
    model = GatedModel(NAME, [REPLY])
    files = {**seed_files(), **runtime_files(), "task_agent.py": DIES_ASKING}
    async with desk(tmp_path, model) as (broker, ledger):
        with pytest.raises(SandboxEnded):
            job = Job("worker", files, broker, label=f"test{os.getpid()}")
            async with BubblewrapSandbox().start(job) as running:
                predict: dict[str, object] = {
                    "op": "predict",
                    "id": "1",
                    "inputs": {},
                    "model": NAME,
                }
                await running.request(predict, 30.0)
        assert model.asked.is_set()
        await broker.close()
        await anyio.wait_all_tasks_blocked()
        assert [line.agent for line in ledger.unknown()] == ["a"]
