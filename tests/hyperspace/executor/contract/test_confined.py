"""A confined job: a command that nobody trusts, and the files that it leaves."""

from pathlib import Path

import anyio
import msgspec
import pytest

from guards.sandboxes.sandbox import Limits
from hyperspace.executor.base import Executor, JobCallbacks
from hyperspace.executor.jobs import ConfinedJob, JobOutcome, left_behind
from tests.hyperspace.executor.contract.executors import CLUSTER, OPENED
from tests.support.processes import counting, left_after, named_in_command
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.anyio, needs_bubblewrap]
LIMITS = Limits(wall_s=60.0, cpu_s=30, memory_bytes=512 * 1024**2, disk_bytes=4 * 1024**2)
MOST = 1_000


@pytest.fixture(params=["local", pytest.param("ray", marks=pytest.mark.cluster)])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "ray":
        monkeypatch.setenv(CLUSTER, request.getfixturevalue("ray_nodes").address)
    return str(request.param)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def confined(code: str, **more: object) -> ConfinedJob:
    job = ConfinedJob(
        command=("{python}", "main.py"),
        files={"main.py": code.encode(), "given": b"4"},
        artefacts={"out": MOST},
        run_s=20.0,
        cpu_s=5,
        limits=LIMITS,
        sandbox="bubblewrap",
    )
    return msgspec.structs.replace(job, **more)


async def play(executor: Executor, job: ConfinedJob) -> JobOutcome:
    return await executor.wait(await executor.submit(job, JobCallbacks(label="job")))


async def test_what_it_leaves_comes_back_and_what_it_prints_is_a_log(
    kind: str, tmp_path: Path
) -> None:
    code = (
        "import sys\nprint('one'); sys.stderr.write('two\\n')\n"
        "open('out', 'w').write(open('given').read() * 2)"
    )
    told: list[bytes] = []
    async with OPENED[kind](tmp_path, 1) as executor:
        job = await executor.submit(confined(code), JobCallbacks(told=told.append))
        outcome = await executor.wait(job)
    assert (outcome.state, outcome.reason) == ("done", "")
    assert sorted(outcome.lines) == [b"one", b"two"] == sorted(told)
    left = left_behind(outcome)
    assert left.files == {"out": b"44"}
    assert left.cpu_s > 0


async def test_its_log_is_told_while_it_runs(tmp_path: Path) -> None:
    told, heard, begun = list[bytes](), anyio.Event(), list[str]()

    def tell(line: bytes) -> None:
        told.append(line)
        heard.set()

    code = "import time\nprint('first')\nprint('half', end='')\ntime.sleep(50)"
    async with OPENED["local"](tmp_path, 1) as executor:
        callbacks = JobCallbacks(told=tell, began=lambda: begun.append("job"))
        job = await executor.submit(confined(code, run_s=55.0), callbacks)
        await heard.wait()
        await executor.cancel(job)
        outcome = await executor.wait(job)
    assert (told, begun, outcome.state) == ([b"first"], ["job"], "cancelled")


@pytest.mark.parametrize(
    "code",
    [
        "import os, time\nprint('x' * 999)\ntime.sleep(1)\nos.ftruncate(1, 0)\ntime.sleep(1)",
        "import os, time\nos.ftruncate(1, 1 << 21)\ntime.sleep(1)",
    ],
)
@pytest.mark.long
async def test_a_log_that_is_cut_or_stretched_is_told_in_bounds(code: str, tmp_path: Path) -> None:
    told: list[bytes] = []
    code += "\nopen('out', 'w').write('44')"
    async with OPENED["local"](tmp_path, 1) as executor:
        job = await executor.submit(confined(code), JobCallbacks(told=told.append))
        outcome = await executor.wait(job)
    assert (outcome.state, left_behind(outcome).files) == ("done", {"out": b"44"})
    assert sum(map(len, told)) <= 2 * 64 * 1024


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "it left no out"),
        ("open('out', 'w').write('x' * 1_001)", "it left has more than 1,000 bytes"),
        ("import os; os.symlink('given', 'out')", "is a link"),
        ("import os; os.link('given', 'out')", "is a link"),
        ("import os; os.mkfifo('out')", "neither a file nor a folder"),
        ("import os; os.mkdir('out')", "is a folder"),
        ("print('half'); raise ValueError('why')", "it ended with status 1"),
    ],
)
async def test_what_may_not_be_taken_is_refused(code: str, reason: str, tmp_path: Path) -> None:
    async with OPENED["local"](tmp_path, 1) as executor:
        outcome = await play(executor, confined(code))
    assert outcome.state == "failed"
    assert reason in outcome.reason
    assert left_behind(outcome).files == {}
    if "half" in code:
        assert outcome.lines[0] == b"half"
        assert outcome.lines[-1] == b"ValueError: why", "its error is in the log"


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "more", "state", "reason"),
    [
        ("while True: pass", {"cpu_s": 1}, "timed_out", "it used more than 1 CPU seconds"),
        ("import time; time.sleep(99)", {"run_s": 1.0}, "timed_out", "it ran longer than 1 s"),
        (
            "import os\nos.fork()\nwhile True: pass",
            {"cpu_s": 2, "processes": 4},
            "timed_out",
            "it used more than 2 CPU seconds",
        ),
        ("import os\nos.fork()", {}, "failed", "it ended with status 1"),
        ("import _thread\n_thread.start_new_thread(print, ())", {}, "failed", "status 1"),
        ("x = bytes(10**9)", {}, "failed", "it ended with status 1"),
        ("while True: print('x' * 9_999)", {}, "failed", ""),
        ("open('big', 'wb').write(bytes(9 * 1024**2))", {}, "failed", ""),
    ],
)
async def test_a_budget_is_kept_from_outside(
    code: str, more: dict[str, object], state: str, reason: str, tmp_path: Path
) -> None:
    async with OPENED["local"](tmp_path, 1) as executor:
        outcome = await play(executor, confined(code, **more))
    assert outcome.state == state
    assert reason in outcome.reason
    assert sum(map(len, outcome.lines)) <= 64 * 1024


async def test_processes_that_it_leaves_end_with_it(tmp_path: Path) -> None:
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        while True: open('out', 'w').write('late'); time.sleep(0.01)\n"
        "    os._exit(0)\n"
        "time.sleep(0.1)\n"
        "open('out', 'w').write('mine')\n"
    )
    async with OPENED["local"](tmp_path, 1) as executor:
        command = ("{python}", "main.py", "left_in_the_dark")
        outcome = await play(executor, confined(code, processes=8, command=command))
    assert outcome.state == "done"
    assert left_behind(outcome).files["out"] in (b"mine", b"late", b"")
    assert left_after(60, named_in_command("left_in_the_dark")) == set()


async def test_a_process_may_call_itself_by_any_bytes(tmp_path: Path) -> None:
    code = (
        "import time\n"
        "open('/proc/self/comm', 'wb').write(bytes([0xFF, 0x29, 0x20, 0xC3]))\n"
        "time.sleep(0.5)\n"
        "open('out', 'w').write('44')\n"
    )
    async with OPENED["local"](tmp_path, 1) as executor:
        outcome = await play(executor, confined(code))
    assert (outcome.state, left_behind(outcome).files["out"]) == ("done", b"44")


BURN = "until = time.process_time() + 1.2\nwhile time.process_time() < until: pass"
UNSEEN = {
    "children whose end nobody is told of": (
        "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for _ in range(4):\n    pid = os.fork()\n    if pid == 0:\n        BURN\n"
        "        os._exit(0)\n    try: os.waitpid(pid, 0)\n    except ChildProcessError: pass\n"
    ),
    "short children whose end nobody is told of": (
        "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for _ in range(160):\n    pid = os.fork()\n    if pid == 0:\n        SHORT\n"
        "        os._exit(0)\n    try: os.waitpid(pid, 0)\n    except ChildProcessError: pass\n"
    ),
    "children of children in sessions of their own": (
        "import os, time\nours, theirs = os.pipe()\nfor _ in range(4):\n    if os.fork() == 0:\n"
        "        os.setsid()\n        if os.fork() == 0:\n            BURN\n"
        "            os.write(theirs, b'.')\n        os._exit(0)\n    os.wait()\n"
        "for _ in range(4):\n    os.read(ours, 1)\n"
    ),
}


@pytest.mark.long
@pytest.mark.skipif(not counting(), reason="this host lets us count in no control group")
@pytest.mark.parametrize("about", UNSEEN)
async def test_time_that_nobody_waits_for_is_on_record(about: str, tmp_path: Path) -> None:
    code = "\n".join(_indented(line) for line in UNSEEN[about].splitlines())
    code += "\nopen('out', 'w').write('44')"
    async with OPENED["local"](tmp_path, 1) as executor:
        bounded = await play(executor, confined(code, cpu_s=1, processes=8))
        free = await play(executor, confined(code, cpu_s=30, processes=8))
    assert (bounded.state, bounded.reason) == ("timed_out", "it used more than 1 CPU seconds")
    assert left_behind(bounded).files == {}
    assert left_behind(bounded).cpu_s > 2
    assert free.state == "done"
    assert left_behind(free).cpu_s > 4.5
    assert left_behind(free).cpu_by == "control group"


def _indented(line: str) -> str:
    """A line with what burns in its place."""
    indent = line[: len(line) - len(line.lstrip())]
    short = BURN.replace("1.2", "0.03")
    said = {"BURN": BURN, "SHORT": short}.get(line.strip())
    return line if said is None else "\n".join(indent + each for each in said.splitlines())
