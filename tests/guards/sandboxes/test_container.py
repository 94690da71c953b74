"""What is special about the Docker sandbox; what it shares is in test_sandboxes and the attacks."""

import io
import os
import socket
import tarfile
import time
from contextlib import closing, suppress
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import UNIXSocketStream

from guards.sandboxes.docker.container import DockerSandbox
from guards.sandboxes.docker.containment import LABEL
from guards.sandboxes.docker.daemon import Client, connect
from guards.sandboxes.docker.docker_stream import (
    MOST_HELD_BYTES,
    STDERR,
    STDOUT,
    Multiplexed,
    Output,
)
from guards.sandboxes.docker.image import require_image
from guards.sandboxes.sandbox import Limits, SandboxUnavailable
from guards.sandboxes.sweep import marker
from tests.support.sandboxes import job, task_agent

STALE = "hyperspace-sandbox-tests:stale"
PREDICT: dict[str, object] = {"op": "predict", "id": "1", "inputs": {}, "model": "m"}
docker = pytest.mark.docker


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def packet(which: int, data: bytes) -> bytes:
    return bytes((which, 0, 0, 0)) + len(data).to_bytes(4, "big") + data


@pytest.mark.anyio
async def test_streams_are_taken_apart_wherever_the_connection_cuts_them() -> None:
    ours, theirs = socket.socketpair()
    read: dict[int, bytes] = {}
    async with await UNIXSocketStream.from_socket(ours) as stream:
        streams = Multiplexed(stream)

        async def read_all(which: int) -> None:
            read[which] = b"".join([part async for part in Output(streams, which)])

        async with anyio.create_task_group() as group:
            for which in (STDOUT, STDERR):
                group.start_soon(read_all, which)
            with theirs:
                for byte in packet(1, b"out") + packet(2, b"err") + packet(1, b"put"):
                    theirs.send(bytes((byte,)))
                    await anyio.sleep(0.001)
    assert read == {STDOUT: b"output", STDERR: b"err"}


@pytest.mark.anyio
async def test_a_reader_may_take_less_than_came() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.send(packet(STDOUT, b"abc"))
        async with await UNIXSocketStream.from_socket(ours) as stream:
            output = Output(Multiplexed(stream), STDOUT)
            assert [await output.receive(2), await output.receive(2)] == [b"ab", b"c"]


@pytest.mark.anyio
async def test_what_nobody_takes_is_not_read_without_end() -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    sent = 0
    with theirs:
        stream = await UNIXSocketStream.from_socket(ours)
        async with stream, anyio.create_task_group() as group:
            group.start_soon(Multiplexed(stream).take, STDERR)
            sent = await flood(theirs, packet(STDOUT, bytes(50_000)))
            group.cancel_scope.cancel()
    assert MOST_HELD_BYTES < sent < 3 * MOST_HELD_BYTES


@pytest.mark.anyio
async def test_who_waits_behind_a_flood_that_nobody_takes_hears_of_the_end() -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    heard: list[str] = []
    with anyio.fail_after(60):
        async with await UNIXSocketStream.from_socket(ours) as stream:
            streams = Multiplexed(stream)

            async def wait_for_an_answer() -> None:
                try:
                    await streams.take(STDOUT)
                except anyio.EndOfStream:
                    heard.append("the end")

            async with anyio.create_task_group() as group:
                group.start_soon(wait_for_an_answer)
                with theirs:
                    await flood(theirs, packet(STDERR, bytes(50_000)))
                assert heard == []
                await streams.read_to_end()
    assert heard == ["the end"]


async def flood(end: socket.socket, data: bytes) -> int:
    """Send until nothing has been read for a while."""
    sent, stalled = 0, 0
    while stalled < 5:
        try:
            sent += end.send(data[sent % len(data) :])
            stalled = 0
        except BlockingIOError:
            stalled += 1
            await anyio.sleep(0.02)
    return sent


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("unix:///nowhere", "no Docker daemon answers at unix:///nowhere .*apt-get install"),
        ("tcp://192.0.2.1:2375", "needs a daemon on this machine"),
    ],
)
def test_without_a_daemon_it_says_what_to_do(
    host: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(SandboxUnavailable, match=words):
        connect()


@docker
def test_an_image_of_another_recipe_is_noticed() -> None:
    with closing(connect()) as client:
        with pytest.raises(SandboxUnavailable, match=r"no image .*--build-image"):
            require_image(client, "hyperspace-sandbox-tests:missing")
        client.import_image_from_data(
            an_archive(), repository=STALE, changes=["LABEL hyperspace.recipe=old"]
        )
        try:
            with pytest.raises(SandboxUnavailable, match="another recipe; build it with"):
                require_image(client, STALE)
        finally:
            client.remove_image(STALE)


def an_archive() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    return data.getvalue()


@docker
@pytest.mark.anyio
async def test_the_daemon_confirms_what_was_asked_of_it() -> None:
    label = f"confirm-{os.getpid()}"
    with closing(connect()) as client:
        async with DockerSandbox().start(job(label=label)):
            (container,) = containers(client, label)
            told: dict[str, Any] = client.inspect_container(container["Id"])
        assert not containers(client, label)
    host = told["HostConfig"]
    assert told["State"]["Pid"] and told["Config"]["User"] not in ("", "0:0")
    assert (host["NetworkMode"], host["IpcMode"], host["Privileged"]) == ("none", "none", False)
    assert (host["ReadonlyRootfs"], host["CapDrop"], host["CapAdd"]) == (True, ["ALL"], None)
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert {"/proc/sys", "/proc/sysrq-trigger"} <= set(host["ReadonlyPaths"])
    assert host["PidsLimit"] > 0 and host["NanoCpus"] > 0
    assert host["Memory"] == host["MemorySwap"] > 0


@docker
@pytest.mark.anyio
async def test_a_sweep_removes_the_containers_of_its_label_only() -> None:
    label = f"sweep-{os.getpid()}"
    with closing(connect()) as client:
        async with DockerSandbox().start(job(label=label)) as running:
            DockerSandbox().sweep(f"{label}-2")
            assert len(containers(client, label)) == 1
            DockerSandbox().sweep(label)
            assert not containers(client, label)
            os.close(await running.finish())


@pytest.mark.anyio
async def test_at_the_end_what_nobody_takes_is_read_and_dropped() -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    stream = await UNIXSocketStream.from_socket(ours)
    async with stream, anyio.create_task_group() as group:
        group.start_soon(Multiplexed(stream).read_to_end)
        with theirs:
            data = packet(STDOUT, bytes(50_000)) * 100
            sent = 0
            while sent < len(data):
                with suppress(BlockingIOError):
                    sent += theirs.send(data[sent:])
                await anyio.lowlevel.checkpoint()


FLOOD = """
import os, time
if os.fork() == 0:
    while not os.path.exists("begin"):
        time.sleep(0.01)
    while True:
        os.write(2, b"x" * 65536)
return "begun", []
"""


@docker
@pytest.mark.anyio
async def test_a_host_that_was_busy_during_a_flood_still_ends_the_container() -> None:
    limits = Limits(wall_s=600.0, cpu_s=20, output_bytes=1000)
    label = f"flood-{os.getpid()}"
    flooding = job(task=task_agent(FLOOD), limits=limits, label=label)
    with anyio.fail_after(600):
        async with DockerSandbox().start(flooding) as running:
            await running.request(PREDICT, 300.0)
            (running.workspace / "begin").touch()  # an answer behind a flood would be no answer
            time.sleep(4)  # noqa: ASYNC251  the daemon fills what it holds, and nobody takes it
            os.close(await running.finish())
    with closing(connect()) as client:
        assert not containers(client, label)


@docker
@pytest.mark.anyio
@pytest.mark.skipif(os.geteuid() != 0, reason="without root the first process stays open")
@pytest.mark.parametrize(("process", "verdict"), [("1", "PermissionError"), ("self", "")])
async def test_the_process_that_ends_the_container_cannot_be_patched(
    process: str, verdict: str
) -> None:
    task = task_agent(f"open('/proc/{process}/mem', 'rb+').close()\nreturn 'open', []")
    async with DockerSandbox().start(job(task=task)) as running:
        reply = await running.request(PREDICT, 10.0)
    assert str(reply.get("error", "")).startswith(verdict) and ("error" in reply) == bool(verdict)


def containers(client: Client, label: str) -> list[dict[str, Any]]:
    return client.containers(all=True, filters={"label": f"{LABEL}={marker(label)}"})
