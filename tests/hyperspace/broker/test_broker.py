import json
import os
import resource
import socket
import stat
import struct
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import ByteStream
from anyio.streams.buffered import BufferedByteReceiveStream

from guards.sandboxes.own_folder import own_folder
from hyperspace.broker.broker import Broker, BrokerLimits
from hyperspace.broker.socket_folder import sweep_socket_folders
from hyperspace.messages import ChatReply, shared_seed
from hyperspace.models.base import AuthFailed, BadRequest, Model, ProviderDown, Refused
from hyperspace.models.policy.retrying import Retrying
from hyperspace.models.policy.traffic import Traffic
from hyperspace.tracing.calls import RecordedError
from hyperspace.tracing.traces import Recorder, read_trace
from tests.support.models import GatedModel, ListModel, RaisingModel

pytestmark = pytest.mark.anyio
LABEL = f"test{os.getpid()}"
NAME = "m@http://127.0.0.1:1/v1"
REPLY = ChatReply("hello", model="m-2026", cost_usd=0.5)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def serving(
    folder: Path, model: Model, limits: BrokerLimits | None = None
) -> AsyncGenerator[Broker]:
    with Recorder(folder / "calls.jsonl") as recorder:
        async with Broker(
            model, recorder, label=LABEL, seed=7, limits=limits or BrokerLimits()
        ) as broker:
            yield broker


def socket_folders() -> list[str]:
    return [name for name in names(own_folder()) if name.startswith(f"hs-{LABEL}-")]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def send(stream: ByteStream, payload: bytes) -> None:
    await stream.send(struct.pack(">I", len(payload)) + payload)


async def receive(stream: ByteStream) -> dict[str, Any]:
    buffered = BufferedByteReceiveStream(stream)
    (size,) = struct.unpack(">I", await buffered.receive_exactly(4))
    return json.loads(await buffered.receive_exactly(size))


def frame(**changes: Any) -> bytes:
    chat = {"op": "chat", "model": NAME, "messages": [{"role": "user", "content": "hi"}]}
    return json.dumps({**chat, **changes}).encode()


async def ask(broker: Broker, payload: bytes | None = None) -> dict[str, Any]:
    async with await anyio.connect_unix(broker.folder() / "s") as stream:
        await send(stream, payload or frame())
        return await receive(stream)


@pytest.mark.parametrize(("name", "apart"), [(NAME, True), ("offline/tinker", False)])
async def test_each_call_has_a_seed_of_its_own_but_for_offline_policies(
    tmp_path: Path, name: str, apart: bool
) -> None:
    model, seed = ListModel(name, [REPLY]), 1_000_000_007
    with Recorder(tmp_path / "calls.jsonl") as recorder:
        async with Broker(model, recorder, label=LABEL, seed=seed, call_seeds=True) as broker:
            for _ in range(3):
                await ask(broker, frame(model=name))
    seeds = [request.seed or 0 for request in model.requests]
    assert seeds[0] == seed and len(set(seeds)) == (3 if apart else 1)
    assert {shared_seed(each) for each in seeds} == {shared_seed(seed)}


async def test_the_broker_says_who_asks_and_with_which_seed(tmp_path: Path) -> None:
    model = ListModel(NAME, [REPLY])
    async with serving(tmp_path, model) as broker:
        assert (await ask(broker))["reply"]["text"] == "hello"
        await ask(broker, frame(model="m"))
    assert [(request.model, request.seed) for request in model.requests] == [("m", 7)] * 2


async def test_a_sandbox_learns_neither_price_nor_returned_model(tmp_path: Path) -> None:
    async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
        reply = (await ask(broker))["reply"]
    assert sorted(reply) == ["finish", "text", "thinking", "tool_calls", "usage"]


async def test_another_model_is_refused_and_remembered(tmp_path: Path) -> None:
    model = ListModel(NAME, [REPLY])
    async with serving(tmp_path, model) as broker:
        broker.begin_item("train", "i1")
        answer = await ask(broker, frame(model="gpt-5.2"))
        (refusal,) = broker.refusals
    assert answer["error"] == "wrong_model"
    assert (refusal.kind, refusal.purpose, refusal.item) == ("wrong_model", "train", "i1")
    assert "gpt-5.2" in refusal.detail
    assert model.requests == []


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"[" * 100_000,
        frame(op="predict"),
        frame(agent="peer"),
        frame(seed=1),
        frame(messages="hi"),
        frame(messages=[{"role": "boss", "content": ""}]),
        frame(temperature="hot"),
        b'{"op":"chat","model":"m","messages":[{"role":"user","content":"\\ud800"}]}',
    ],
)
async def test_a_malformed_request_is_refused_and_closes_the_connection(
    tmp_path: Path, payload: bytes
) -> None:
    async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
        async with await anyio.connect_unix(broker.folder() / "s") as stream:
            await send(stream, payload)
            assert (await receive(stream))["error"] == "malformed"
            with pytest.raises(anyio.EndOfStream):
                await stream.receive()
        assert [refusal.kind for refusal in broker.refusals] == ["malformed"]
        assert (await ask(broker))["ok"]


async def test_beyond_a_hundred_refusals_it_is_said_that_there_were_more(tmp_path: Path) -> None:
    async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
        for _ in range(105):
            async with await anyio.connect_unix(broker.folder() / "s") as stream:
                await send(stream, b"[]")
                await receive(stream)
        assert len(broker.refusals) == 101
        assert "not listed" in broker.refusals[-1].detail
        assert "not listed" not in broker.refusals[-2].detail


async def test_an_oversized_request_is_refused_before_it_is_read(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, ListModel(NAME, [REPLY])) as broker,
        await anyio.connect_unix(broker.folder() / "s") as stream,
    ):
        await stream.send(struct.pack(">I", 2**32 - 1))
        assert (await receive(stream))["error"] == "too_large"


async def test_a_client_that_leaves_in_the_middle_disturbs_nobody(tmp_path: Path) -> None:
    async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
        for part in (b"", b"\0", b"\0\0\1\0", b"\0\0\1\0{"):
            async with await anyio.connect_unix(broker.folder() / "s") as stream:
                if part:
                    await stream.send(part)
        assert (await ask(broker))["ok"]
        assert broker.refusals == []


async def test_calls_in_all_and_for_one_item_are_capped(tmp_path: Path) -> None:
    limits = BrokerLimits(calls=3, calls_per_item=2)
    async with serving(tmp_path, ListModel(NAME, [REPLY]), limits) as broker:
        broker.begin_item("train", "a")
        first = [(await ask(broker)).get("error") for _ in range(3)]
        broker.begin_item("train", "b")
        second = [(await ask(broker)).get("error") for _ in range(2)]
    assert first == [None, None, "budget"]
    assert second == [None, "budget"]
    assert [refusal.item for refusal in broker.refusals] == ["a", "b"]


async def test_calls_are_numbered_within_purpose_and_item(tmp_path: Path) -> None:
    async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
        for work in [("train", "a"), ("train", "b"), ("train", "a")]:
            broker.begin_item(*work)
            await ask(broker)
    calls = read_trace(tmp_path / "calls.jsonl").calls
    assert [call.key for call in calls] == [("train", "a", 0), ("train", "b", 0), ("train", "a", 1)]


async def test_several_connections_are_served_at_once(tmp_path: Path) -> None:
    model = GatedModel(NAME, [REPLY])
    answers: list[dict[str, Any]] = []

    async def one(broker: Broker) -> None:
        answers.append(await ask(broker))

    async with serving(tmp_path, model) as broker, anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(one, broker)
        with anyio.fail_after(60):
            await model.asked.wait()
            model.gate.set()
    assert [answer["ok"] for answer in answers] == [True] * 8
    calls = read_trace(tmp_path / "calls.jsonl").calls
    assert sorted(call.ordinal for call in calls) == list(range(8))


async def test_connections_beyond_the_limit_wait_until_others_have_left(tmp_path: Path) -> None:
    model = ListModel(NAME, [REPLY])
    async with serving(tmp_path, model, BrokerLimits(connections=2)) as broker:
        address = broker.folder() / "s"
        async with await anyio.connect_unix(address), await anyio.connect_unix(address):
            with anyio.move_on_after(0.1) as waited:
                await ask(broker)
            assert waited.cancelled_caught
            assert model.requests == []
        with anyio.fail_after(60):
            assert (await ask(broker))["ok"]
    assert broker.refusals == []


async def test_a_broker_with_more_doors_than_connections_closes(tmp_path: Path) -> None:
    doors = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    with anyio.fail_after(60):
        async with serving(tmp_path, ListModel(NAME, []), BrokerLimits(connections=1)) as broker:
            for number, door in enumerate(doors):
                door.bind(str(tmp_path / str(number)))
                door.listen()
                broker.answer_at(door)
            await anyio.wait_all_tasks_blocked()
    assert [door.fileno() for door in doors] == [-1] * 3


@pytest.mark.parametrize("error", [ProviderDown("gone"), AuthFailed("no key")])
async def test_an_outage_is_kept_from_the_sandbox_and_stops_the_broker(
    tmp_path: Path, error: Exception
) -> None:
    async with serving(tmp_path, ListModel(NAME, [REPLY, error])) as broker:
        await ask(broker)
        async with await anyio.connect_unix(broker.folder() / "s") as idle:
            with pytest.raises(anyio.IncompleteRead):
                await ask(broker)
            with pytest.raises(anyio.EndOfStream):
                await idle.receive()
        assert broker.outage is error
    assert len(read_trace(tmp_path / "calls.jsonl").calls) == 1


async def test_a_refusal_by_the_provider_is_told_and_recorded(tmp_path: Path) -> None:
    async with serving(tmp_path, RaisingModel(NAME, BadRequest("bad shape"))) as broker:
        answer = await ask(broker)
        assert broker.outage is None
    assert answer == {"ok": False, "error": "bad_request", "message": "bad shape"}
    (call,) = read_trace(tmp_path / "calls.jsonl").calls
    assert call.error is not None and call.error.kind == "bad_request"


async def test_a_trace_that_cannot_be_written_surfaces_as_it_is(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.raises(OSError, match="File too large"):
        async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
            try:
                with pytest.raises(anyio.IncompleteRead):
                    await ask(broker)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_an_error_of_the_body_leaves_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        async with (
            serving(tmp_path, GatedModel(NAME, [REPLY])) as broker,
            await anyio.connect_unix(broker.folder() / "s") as stream,
        ):
            await send(stream, frame())
            raise KeyError(str(broker.folder()))
    assert socket_folders() == []


async def test_cancellation_ends_calls_in_flight_and_leaves_nothing(tmp_path: Path) -> None:
    model = GatedModel(NAME, [REPLY])
    with anyio.move_on_after(60) as scope:
        async with (
            serving(tmp_path, model) as broker,
            await anyio.connect_unix(broker.folder() / "s") as stream,
        ):
            await send(stream, frame())
            await model.asked.wait()
            scope.cancel()
            await anyio.sleep_forever()
    assert socket_folders() == []
    assert read_trace(tmp_path / "calls.jsonl").calls == ()


async def test_only_the_owner_can_reach_the_socket(tmp_path: Path) -> None:
    async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
        assert stat.S_IMODE(broker.folder().stat().st_mode) == 0o700
        assert stat.S_IMODE((broker.folder() / "s").stat().st_mode) == 0o600


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
async def test_the_socket_can_belong_to_the_sandbox_user(tmp_path: Path) -> None:
    with Recorder(tmp_path / "calls.jsonl") as recorder:
        async with Broker(ListModel(NAME, [REPLY]), recorder, owner_uid=65534) as broker:
            assert broker.folder().stat().st_uid == (broker.folder() / "s").stat().st_uid == 65534


async def test_a_long_temporary_folder_does_not_break_the_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
        assert (await ask(broker))["ok"]


async def test_sweeping_removes_one_label_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as short:  # a socket's path may not be long
        monkeypatch.setattr(tempfile, "tempdir", short)
        for name in ("hs-run-abcdefgh", "hs-run-b-abcdefgh", "hs-other-abcdefgh", "hs-run-"):
            (own_folder() / name).mkdir()
        sweep_socket_folders("run")
        assert names(own_folder()) == ["hs-other-abcdefgh", "hs-run-", "hs-run-b-abcdefgh"]


async def test_thoughts_count_as_characters_that_a_sandbox_sends(tmp_path: Path) -> None:
    limits = BrokerLimits(characters=1000)
    thoughts = [{"kind": "thinking", "text": "x" * 600, "sealed": "y" * 600}]
    messages = [{"role": "assistant", "content": "", "thoughts": thoughts}]
    async with serving(tmp_path, ListModel(NAME, [REPLY]), limits) as broker:
        assert (await ask(broker, frame(messages=messages)))["error"] == "budget"


async def test_what_is_no_thought_is_malformed(tmp_path: Path) -> None:
    messages = [{"role": "assistant", "content": "", "thoughts": [{"kind": "evil"}]}]
    async with serving(tmp_path, ListModel(NAME, [REPLY])) as broker:
        assert (await ask(broker, frame(messages=messages)))["error"] == "malformed"


async def test_content_that_a_provider_refuses_is_told_as_that_and_recorded(tmp_path: Path) -> None:
    async with serving(tmp_path, RaisingModel(NAME, Refused("not that"))) as broker:
        assert await ask(broker) == {"ok": False, "error": "refused", "message": "not that"}
    (call,) = read_trace(tmp_path / "calls.jsonl").calls
    assert call.error == RecordedError("refused", "not that")


async def test_a_sandbox_is_excused_for_the_time_its_model_fails(tmp_path: Path) -> None:
    outcomes = [ProviderDown("busy"), REPLY]
    async with serving(tmp_path, Retrying(ListModel(NAME, outcomes), Traffic())) as broker:
        assert broker.paused_s() == 0
        assert (await ask(broker))["ok"]
        paused_s = broker.paused_s()
        assert 0 < paused_s < 5
        assert (await ask(broker))["ok"]
        assert broker.paused_s() == paused_s
