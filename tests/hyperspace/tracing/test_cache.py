"""Replies across runs: found by what was asked, safe among processes, bounded."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hyperspace.messages import CallKey, ChatReply, ChatRequest, Message, ToolCall, Usage
from hyperspace.models.base import BadRequest
from hyperspace.tracing.cache import CacheKey, ReplyCache
from hyperspace.tracing.calls import CallRecord
from hyperspace.tracing.traces import Recorder, read_trace
from tests.support.models import ListModel, RaisingModel
from tests.support.servers.server import ROOT

REPLY = ChatReply("hi", (ToolCall("c", "bash", "{}"),), "tool_calls", "hm", Usage(3, 4), "m-1", 0.5)
WRITER = """
import sys
from pathlib import Path
from hyperspace.tracing.cache import CacheKey, ReplyCache
from hyperspace.messages import ChatReply
cache = ReplyCache(Path(sys.argv[1]))
for number in range(10**9):
    cache.put(CacheKey("m", "sha", "p", number % 50), ChatReply("x" * 20_000))
    print(number, flush=True)
"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def key(repeat: int = 0, model: str = "m@http://a/v1", purpose: str = "train") -> CacheKey:
    return CacheKey(model, "0" * 64, purpose, repeat)


async def asked(path: Path, cache: Path, outcomes: list[ChatReply | Exception], times: int) -> int:
    """Ask the same thing several times; how often the model was really asked."""
    model = ListModel("m@http://a/v1", outcomes)
    request = ChatRequest("m", (Message("user", "sample"),), temperature=1.0)
    with Recorder(path, cache=ReplyCache(cache)) as recorder:
        for ordinal in range(times):
            key = CallKey("train", "", ordinal)
            await recorder.answer(key, request, model.complete, model.name)
    return len(model.requests)


def calls(path: Path) -> tuple[CallRecord, ...]:
    return read_trace(path).calls


def test_a_reply_comes_back_whole_and_only_to_the_same_question(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache")
    cache.put(key(), REPLY)
    assert ReplyCache(tmp_path / "cache").get(key()) == REPLY
    for other in (key(1), key(model="m@http://b/v1"), key(purpose="test")):
        assert cache.get(other) is None


@pytest.mark.anyio
async def test_sampling_again_stays_sampling_and_the_next_run_has_the_same_samples(
    tmp_path: Path,
) -> None:
    samples: list[ChatReply | Exception] = [ChatReply("one"), ChatReply("two"), ChatReply("three")]
    assert await asked(tmp_path / "a", tmp_path / "cache", samples, 2) == 2
    assert await asked(tmp_path / "b", tmp_path / "cache", samples[2:], 3) == 1
    assert [call.response for call in calls(tmp_path / "b")] == ["one", "two", "three"]
    assert [call.cached for call in calls(tmp_path / "b")] == [True, True, False]


@pytest.mark.anyio
async def test_after_a_resume_the_next_sample_is_the_next_one(tmp_path: Path) -> None:
    samples: list[ChatReply | Exception] = [ChatReply(str(number)) for number in range(3)]
    await asked(tmp_path / "whole", tmp_path / "cache", samples, 3)
    request = ChatRequest("m", (Message("user", "sample"),), temperature=1.0)
    model = ListModel("m@http://a/v1", [ChatReply("never")])
    begun = read_trace(tmp_path / "whole")
    served = type(begun)(begun.calls[:2])
    with Recorder(tmp_path / "rest", served, cache=ReplyCache(tmp_path / "cache")) as recorder:
        for ordinal in range(3):
            key = CallKey("train", "", ordinal)
            await recorder.answer(key, request, model.complete, model.name)
    assert [call.response for call in calls(tmp_path / "rest")] == ["0", "1", "2"]
    assert model.requests == []


@pytest.mark.anyio
async def test_a_cached_reply_costs_nothing_and_says_so(tmp_path: Path) -> None:
    for name in ("a", "b"):
        await asked(tmp_path / name, tmp_path / "cache", [REPLY], 1)
    (paid,), (cached,) = calls(tmp_path / "a"), calls(tmp_path / "b")
    assert (paid.cached, paid.cost_usd) == (False, 0.5)
    assert (cached.cached, cached.cost_usd, cached.served) == (True, 0.0, False)
    assert cached.usage == paid.usage


@pytest.mark.anyio
async def test_a_refusal_is_asked_for_again(tmp_path: Path) -> None:
    for name in ("a", "b"):
        model = RaisingModel("m", BadRequest("no"))
        key, request = CallKey("train", "", 0), ChatRequest("m", ())
        cache = ReplyCache(tmp_path / "cache")
        with Recorder(tmp_path / name, cache=cache) as recorder, pytest.raises(BadRequest):
            await recorder.answer(key, request, model.complete, "m")
        assert len(model.requests) == 1


def test_a_damaged_file_is_no_reply_and_is_written_anew(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.put(key(), REPLY)
    (file,) = tmp_path.glob("*/*.json")
    file.write_bytes(file.read_bytes()[:-5])
    assert cache.get(key()) is None
    cache.put(key(), REPLY)
    assert cache.get(key()) == REPLY


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    for repeat in range(10):
        cache.put(key(repeat), ChatReply("x" * 1000))
    for age, file in enumerate(sorted(tmp_path.glob("*/*.json"))):
        os.utime(file, (age, age))
    assert cache.get(key(4)) is not None
    ReplyCache(tmp_path, max_bytes=3000)
    left = [repeat for repeat in range(10) if cache.get(key(repeat)) is not None]
    assert 4 in left
    assert sum(file.stat().st_size for file in tmp_path.glob("*/*.json")) <= 3000


def test_a_bound_holds_while_it_is_written_to(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path, max_bytes=50_000)
    for repeat in range(200):
        cache.put(key(repeat), ChatReply("x" * 1000))
    assert sum(file.stat().st_size for file in tmp_path.glob("*/*.json")) <= 55_000


def test_a_killed_writer_leaves_whole_replies_and_its_rest_is_swept(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for writer in writers:
        with writer:
            assert writer.stdout is not None
            for _ in range(60):
                writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
    cache = ReplyCache(tmp_path)
    replies = [cache.get(CacheKey("m", "sha", "p", number)) for number in range(50)]
    assert all(reply is not None and len(reply.text) == 20_000 for reply in replies)
    left = tmp_path / "ab" / "x.json.1.2.tmp"
    left.parent.mkdir(exist_ok=True)
    left.write_bytes(b"{")
    long_ago = time.time() - 7200
    os.utime(left, (long_ago, long_ago))
    ReplyCache(tmp_path)
    assert not left.exists()
