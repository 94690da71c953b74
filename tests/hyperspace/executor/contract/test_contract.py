"""What every executor promises (`hyperspace.executor.base.Executor`)."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio.to_thread
import msgspec
import pytest

from hyperspace.executor.base import JobCallbacks
from hyperspace.executor.errors import ExecutorUsageError
from hyperspace.executor.items import LINES, CodeEnded, Replied
from hyperspace.executor.jobs import PYTHON, CommandJob, ItemsJob, job_id
from hyperspace.executor.resources import Resources
from tests.hyperspace.executor.contract.executors import CLUSTER, OPENED
from tests.support.paths import ROOT
from tests.support.processes import left_after
from tests.support.sandboxes import FILES, LIMITS, needs_bubblewrap

pytestmark = pytest.mark.anyio
KINDS = ["local", pytest.param("ray", marks=pytest.mark.cluster)]
NOBODY = JobCallbacks()
MARKS_AND_SLEEPS = (
    "import os, pathlib, time; pathlib.Path({!r}).write_text(str(os.getpid())); time.sleep(600)"
)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "ray":
        monkeypatch.setenv(CLUSTER, request.getfixturevalue("ray_nodes").address)
    return str(request.param)


def command(program: str, **more: object) -> CommandJob:
    return msgspec.convert(
        {"type": "command", "commands": [[PYTHON, "-c", program]], **more}, CommandJob
    )


def items(task: str, questions: int, *, asks_model: bool = False) -> ItemsJob:
    requests = [
        json.dumps({"op": "predict", "id": f"{n}", "inputs": {"q": n}, "model": "m"}).encode()
        for n in range(questions)
    ]
    return ItemsJob(
        files=FILES | {"task_agent.py": task.encode()},
        shared={},
        requests=tuple(requests),
        request_s=60.0,
        limits=LIMITS,
        sandbox="bubblewrap",
        asks_model=asks_model,
    )


TASK = (
    "class TaskAgent:\n"
    "    def __init__(self, model):\n        pass\n"
    "    def forward(self, inputs):\n"
)
ECHO = f"{TASK}        return str(inputs['q']), []\n"
QUITS = f"{TASK}        import os\n        return str(inputs['q'] or os._exit(3)), []\n"


async def test_lines_are_told_as_they_come_and_the_file_that_is_left_is_brought_back(
    kind: str, tmp_path: Path
) -> None:
    told: list[bytes] = []
    program = "print('one'); print('two'); open('left', 'w').write(open('given').read() * 2)"
    job = command(program, files={"given": "YQ=="}, artefact="left")
    async with OPENED[kind](tmp_path, 1) as executor:
        outcome = await executor.wait(
            await executor.submit(job, JobCallbacks(label="a", told=told.append))
        )
    assert (outcome.state, outcome.code, outcome.reason) == ("done", 0, "")
    assert outcome.artefact == b"aa"
    assert list(outcome.lines) == told == [b"one", b"two"]


async def test_equal_jobs_are_one_job_until_it_is_forgotten(kind: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    job = command(f"open({str(mark)!r}, 'a').write('x')")
    async with OPENED[kind](tmp_path, 2) as executor:
        first, second = [await executor.submit(job, NOBODY) for _ in range(2)]
        assert first == second == job_id(job)
        await executor.wait(first)
        await executor.wait(second)
        await executor.wait(await executor.submit(job, NOBODY))
        assert mark.read_text() == "x"
        executor.forget(first)
        await executor.wait(await executor.submit(job, NOBODY))
        assert mark.read_text() == "xx"


async def test_a_job_that_fails_says_why_and_leaves_the_others_alone(
    kind: str, tmp_path: Path
) -> None:
    bad = command("import sys; print('so far'); print('first', file=sys.stderr); sys.exit('last')")
    async with OPENED[kind](tmp_path, 1) as executor:
        jobs = [await executor.submit(job, NOBODY) for job in (bad, command("print('well')"))]
        failed, done = [await executor.wait(job) for job in jobs]
    assert (failed.state, failed.code, failed.reason) == ("failed", 1, "last")
    assert failed.lines == (b"so far",)
    assert (done.state, done.lines) == ("done", (b"well",))


@pytest.mark.long
@pytest.mark.parametrize("ended_by", ["cancel", "time limit", "closing"])
async def test_a_job_that_is_given_up_leaves_no_process(
    ended_by: str, kind: str, tmp_path: Path
) -> None:
    mark = tmp_path / "pid"
    limit = {"wall_s": 3.0} if ended_by == "time limit" else {}
    job = command(MARKS_AND_SLEEPS.format(str(mark)), **limit)
    async with OPENED[kind](tmp_path, 1) as executor:
        id_ = await executor.submit(job, NOBODY)
        if ended_by == "time limit":
            assert (await executor.wait(id_)).state == "timed_out"
        else:
            await written(mark)
        if ended_by == "cancel":
            await executor.cancel(id_)
            assert (await executor.wait(id_)).state == "cancelled"
    # On a busy machine the limit may have struck before it had begun.
    assert not left_after(30.0, {int(mark.read_text())} if mark.exists() else set())


@pytest.mark.long
async def test_no_more_jobs_run_at_a_time_than_there_are_slots(kind: str, tmp_path: Path) -> None:
    """Each marks its place, counts all that are marked, and unmarks it."""
    here = tmp_path / "here"
    here.mkdir()
    program = (
        "import os, pathlib\n"
        f"here = pathlib.Path({str(here)!r})\n"
        "mine = here / str(os.getpid())\n"
        "mine.touch()\n"
        "print(max(len(list(here.iterdir())) for _ in range(200)))\n"
        "mine.unlink()  # {}\n"
    )
    async with OPENED[kind](tmp_path, 2) as executor:
        jobs = [await executor.submit(command(program.format(n)), NOBODY) for n in range(5)]
        counts = [int((await executor.wait(job)).lines[0]) for job in jobs]
    assert max(counts) <= 2


async def test_a_slot_with_a_card_where_there_is_none_is_refused_at_once(
    kind: str, tmp_path: Path
) -> None:
    job = CommandJob(commands=((PYTHON, "-c", ""),), resources=Resources(gpus=1))
    async with OPENED[kind](tmp_path, 1) as executor:
        with pytest.raises(ExecutorUsageError, match="1 GPU"):
            await executor.submit(job, NOBODY)


@pytest.mark.long
@needs_bubblewrap
async def test_requests_are_asked_of_one_sandbox_until_the_code_ends_it(
    kind: str, tmp_path: Path
) -> None:
    told: list[bytes] = []
    async with OPENED[kind](tmp_path, 2) as executor:
        whole = await executor.submit(items(ECHO, 3), JobCallbacks(told=told.append))
        ended = await executor.submit(items(QUITS, 3), NOBODY)
        replies = [LINES.decode(line) for line in (await executor.wait(whole)).lines]
        (end,) = [LINES.decode(line) for line in (await executor.wait(ended)).lines]
    frames = [msgspec.json.decode(reply.frame) for reply in replies if isinstance(reply, Replied)]
    assert frames == [{"id": f"{n}", "prediction": f"{n}"} for n in range(3)]
    assert [LINES.decode(line) for line in told] == replies
    assert isinstance(end, CodeEnded)
    assert end.reason == "exited"


@pytest.mark.long
@needs_bubblewrap
async def test_each_request_waits_for_its_turn_where_the_code_may_call_its_model(
    kind: str, tmp_path: Path
) -> None:
    events: list[str] = []

    async def may_begin(number: int) -> None:
        events.append(f"begin {number}")

    def told(line: bytes) -> None:
        events.append(f"reply {json.loads(line)['frame']['id']}")

    callbacks = JobCallbacks(told=told, may_begin=may_begin)
    async with OPENED[kind](tmp_path, 1) as executor:
        await executor.wait(await executor.submit(items(ECHO, 2, asks_model=True), callbacks))
    assert events == ["begin 0", "reply 0", "begin 1", "reply 1"]


@pytest.mark.long
async def test_after_a_kill_what_is_done_is_not_played_again_and_nothing_else_runs(
    kind: str, tmp_path: Path
) -> None:
    done, running = tmp_path / "done", tmp_path / "running"
    quick = f"open({str(done)!r}, 'a').write('x')"
    endless = MARKS_AND_SLEEPS.format(str(running))
    with coordinator(kind, tmp_path, quick, endless) as first:
        assert first.stdout is not None
        assert json.loads(first.stdout.readline()) == [[], []]
        id_, state = json.loads(first.stdout.readline())
        assert state == "done"
        pid = await written(running)
        first.send_signal(signal.SIGKILL)
    assert not left_after(60.0, {pid})
    again = "import time"
    with coordinator(kind, tmp_path, quick, again) as second:
        lines, _ = second.communicate(timeout=300)
    recovered, *outcomes = map(json.loads, lines.splitlines())
    assert recovered == [[], [id_]]
    assert outcomes == [[id_, "done"], [job_id(command(again)), "done"]]
    assert done.read_text() == "x"


def coordinator(kind: str, folder: Path, *programs: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.hyperspace.executor.contract.coordinator",
            kind,
            folder,
            *programs,
        ],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=os.environ,
        text=True,
    )


async def written(path: Path) -> int:
    """Wait until a job has written its process id."""
    return await anyio.to_thread.run_sync(_written, path)


def _written(path: Path) -> int:
    until = time.monotonic() + 300
    while not (path.exists() and path.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    return int(path.read_text())
