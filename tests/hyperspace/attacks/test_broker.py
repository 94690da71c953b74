"""A broker whose client sends descriptors, reads nothing, or says what would steer a terminal."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import pytest

from guards.sandboxes.sandbox import Job, Sandbox
from hyperspace.attacks.plays.asks import CLIENT, MODEL
from hyperspace.attacks.workspace import predict_frame
from hyperspace.broker.broker import Broker, BrokerLimits
from hyperspace.messages import ChatReply, Usage
from hyperspace.tracing.traces import Recorder, read_trace
from tests.support.models import ListModel
from tests.support.sandboxes import BOUNDARIES, FILES, LIMITS, task_agent

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("sandbox", BOUNDARIES)]
WAITING = 5  # descriptors of a sandbox that was started ahead
STEERING = "\x1b[2J\x9b2J\x07\r\x7f\x85\u2028\u202e"
ANSWER = ChatReply("answer" + STEERING, usage=Usage(7, 3))
LONG = ChatReply("y" * 300_000, usage=Usage(7, 3))
SENDS_DESCRIPTORS = """
kept = [os.open('/dev/null', os.O_RDONLY) for _ in range(20)]
s = connect()
for _ in range(30):
    body = frame()
    socket.send_fds(s, [struct.pack('>I', len(body)) + body], kept)
    assert receive(s)['ok']
late = connect()
socket.send_fds(late, [b'\\0'], kept)  # a head that never ends
return ask(connect(), frame()), []
"""
READS_NOTHING = """
kept = [connect() for _ in range(7)]
for s in kept:
    s.setblocking(False)
    body = frame()
    for _ in range(200):
        try: s.send(struct.pack('>I', len(body)) + body)
        except BlockingIOError: break
s = connect()
s.setblocking(True)
return str(len(ask(s, frame()))), []
"""
STEERS = f"""
words = {STEERING!r}
answers = [ask(connect(), frame(messages=[message(words)]))]
for changes in ({{words: 1}}, {{'op': words}}, {{'model': words}}, {{'x' * 100_000: 1}}):
    try: ask(connect(), frame(**changes))
    except AssertionError as error: answers.append(str(error))
return repr(answers), []
"""


@asynccontextmanager
async def asked(
    folder: Path, sandbox: Sandbox, code: str, reply: ChatReply = ANSWER
) -> AsyncGenerator[tuple[Broker, object]]:
    """Have code ask a broker; gives the broker, still open, and what the code returned."""
    limits = BrokerLimits(connections=8)
    with Recorder(folder / "calls.jsonl") as recorder:
        async with Broker(ListModel(MODEL, [reply]), recorder, limits=limits) as broker:
            files = {**FILES, "task_agent.py": task_agent(code, CLIENT).encode()}
            broker.begin_item("val", "one")
            async with sandbox.start(Job("worker", files, broker, LIMITS)) as running:
                answer = await running.request(predict_frame("1", {}), 20.0)
                yield broker, answer.get("prediction", answer)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def open_on_nothing() -> int:
    """Descriptors that are open on what the attack sends, /dev/null, under whichever name."""
    nothing, count = Path(os.devnull).stat().st_rdev, 0
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with suppress(OSError):  # that of the listing itself
            count += os.fstat(int(name)).st_rdev == nothing
    return count


async def test_descriptors_that_are_sent_are_not_taken(sandbox: Sandbox, tmp_path: Path) -> None:
    async with asked(tmp_path, sandbox, "return ask(connect(), frame()), []"):
        plain, on_nothing = open_descriptors(), open_on_nothing()
    async with asked(tmp_path, sandbox, SENDS_DESCRIPTORS) as (broker, answer):
        assert answer == ANSWER.text
        assert open_on_nothing() == on_nothing
        assert open_descriptors() <= plain + 3 + 2 * WAITING  # its connections, and started ahead
        assert broker.refusals == []


async def test_clients_that_read_nothing_hold_up_neither_others_nor_the_end(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    async with asked(tmp_path, sandbox, READS_NOTHING, LONG) as (broker, answer):
        assert answer == "300000"
        with anyio.fail_after(60):
            await broker.close()


async def test_what_would_steer_a_terminal_stays_out_of_what_is_refused(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    async with asked(tmp_path, sandbox, STEERS) as (broker, answer):
        assert "malformed" in str(answer) and "wrong_model" in str(answer)
        kinds = [refusal.kind for refusal in broker.refusals]
        assert kinds == ["malformed", "malformed", "wrong_model", "malformed"]
        assert all(refusal.detail.isprintable() for refusal in broker.refusals)
        assert max(len(refusal.detail) for refusal in broker.refusals) <= 1000
    lines = (tmp_path / "calls.jsonl").read_bytes()
    assert not set(lines) & (set(range(32)) - {10})
    (call,) = read_trace(tmp_path / "calls.jsonl").calls
    assert call.response == ANSWER.text
    assert call.messages[0]["content"] == STEERING
