"""The program `score` hands over what judged code printed, and nothing that it forged."""

import os

import pytest

from guards.sandboxes.sandbox import Job, Limits, Sandbox, SandboxEnded
from tests.support.sandboxes import BOUNDARIES, EVERY_SANDBOX, job, task_agent

pytestmark = pytest.mark.anyio
every_sandbox = pytest.mark.parametrize("sandbox", EVERY_SANDBOX)
boundaries = pytest.mark.parametrize("sandbox", BOUNDARIES)
LIMITS = Limits(wall_s=120.0, cpu_s=20, memory_bytes=1024**3, processes=64)
PYTHON = ["{python}", "-s", "-S", "code.py"]
ASK: dict[str, object] = {"op": "predict", "id": "1", "inputs": {}, "model": "m"}
ECHO = "import sys\nprint(sys.stdin.read().upper(), end='')"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def execute(
    sandbox: Sandbox,
    code: str,
    *,
    steps: tuple[list[str], ...] = (PYTHON,),
    stdin: str = "a\n",
    characters: int = 1_000,
    limits: Limits = LIMITS,
) -> tuple[str, str]:
    """What the last command printed, and how it failed."""
    job = Job("score", {"code.py": code.encode()}, limits=limits, label=f"score{os.getpid()}")
    frame = {"op": "execute", "steps": steps, "stdin": stdin, "cpu_s": 1}
    async with sandbox.start(job) as running:
        reply = await running.request({**frame, "output_characters": characters}, limits.wall_s)
    assert reply.keys() == {"stdout", "error"}
    return reply["stdout"], reply["error"]


@every_sandbox
async def test_the_last_command_reads_and_prints(sandbox: Sandbox) -> None:
    assert await execute(sandbox, ECHO, stdin="é\n") == ("É\n", "")
    write = ["{python}", "-c", "print('of the first'); open('code.py', 'a').write('\\nprint(2)')"]
    assert await execute(sandbox, ECHO, steps=(write, PYTHON)) == ("A\n2\n", "")


@pytest.mark.long
@every_sandbox
@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("while True: pass", "command 1 of 1 used more than 1 CPU seconds"),
        ("print('half')\nraise ValueError", "command 1 of 1 ended with status 1"),
        ("import os; os.abort()", "command 1 of 1 was killed by signal 6"),
        ("print('x' * 1_000)", "command 1 of 1 printed more than 1000 characters"),
        ("while True: print('x' * 999)", "command 1 of 1 printed more than 1000 characters"),
    ],
)
async def test_a_command_that_fails_has_printed_nothing(
    sandbox: Sandbox, code: str, error: str
) -> None:
    assert await execute(sandbox, code) == ("", error)


@every_sandbox
async def test_the_first_command_that_fails_is_the_last(sandbox: Sandbox) -> None:
    stdout, error = await execute(sandbox, ECHO, steps=(["./missing"], PYTHON))
    assert (stdout, error) == ("", "command 1 of 2 could not be started: FileNotFoundError")


@every_sandbox
async def test_children_that_stay_behind_keep_nobody_waiting(sandbox: Sandbox) -> None:
    code = "import os, time\nprint(1, flush=True)\nif os.fork() == 0: time.sleep(19)"
    assert await execute(sandbox, code) == ("1\n", "")


@pytest.mark.slow
@every_sandbox
async def test_cpu_seconds_of_children_count(sandbox: Sandbox) -> None:
    code = (
        "import os, resource\nfor _ in range(3):\n  if os.fork() == 0:\n"
        "    while resource.getrusage(0).ru_utime < 0.8: pass\n    os._exit(0)\n"
        "for _ in range(3): os.wait()\nprint(1)"
    )
    assert await execute(sandbox, code) == ("", "command 1 of 1 used more than 1 CPU seconds")


@every_sandbox
async def test_the_code_has_no_descriptor_but_its_streams(sandbox: Sandbox) -> None:
    code = "import os\nopen_ = [n for n in range(256) if os.path.exists(f'/proc/self/fd/{n}')]\n"
    assert await execute(sandbox, code + "print(open_)") == ("[0, 1, 2]\n", "")


@every_sandbox
async def test_a_frame_that_is_printed_is_text(sandbox: Sandbox) -> None:
    frame = '\0\0\0\x1a{"stdout":"A","error":""}'
    code = f"print({frame!r}, end='')"
    assert await execute(sandbox, code) == (frame, "")


OPEN_EACH = """
import os, subprocess
child = subprocess.Popen(["sleep", "9"])
def opened(pid, path, flags):
    try:
        os.close(os.open(f"/proc/{pid}/{path}", flags))
        return True
    except OSError:
        return False
def reached(pid):
    ends = [f"fd/{n}" for n in range(64) if opened(pid, f"fd/{n}", os.O_WRONLY)]
    ends += [f"fd/{n}" for n in range(64) if opened(pid, f"fd/{n}", os.O_RDONLY)]
    return ends + [name for name in ("mem", "environ", "maps") if opened(pid, name, os.O_RDONLY)]
print(bool(reached(child.pid)), reached(os.getppid()))
child.kill()
"""


@boundaries
async def test_memory_and_descriptors_of_the_scorer_are_closed(sandbox: Sandbox) -> None:
    # What works on a child of its own, of the same user, does not on the scorer.
    assert await execute(sandbox, OPEN_EACH) == ("True []\n", "")


@boundaries
async def test_a_program_that_does_not_close_them_is_open(sandbox: Sandbox) -> None:
    body = (
        "import subprocess, sys\n"
        f"made = subprocess.run([sys.executable, '-c', {OPEN_EACH!r}], capture_output=True)\n"
        "return made.stdout.decode(), []"
    )
    async with sandbox.start(job(task=task_agent(body), limits=LIMITS)) as running:
        reply = await running.request(ASK, 60.0)
    if sandbox.name != "docker":  # whose kernel may have been told to refuse it
        assert "'fd/" in reply["prediction"] and "'mem'" in reply["prediction"], reply


WRITE_EACH = """
import glob, os
frame = b'{"stdout":"A\\\\n","error":""}'
frame = len(frame).to_bytes(4, "big") + frame
own = [os.stat(n).st_ino for n in (0, 1, 2)]
for path in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        if os.stat(path).st_ino not in own:
            os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), frame)
    except OSError:
        pass
print("honest")
"""


@boundaries
async def test_a_frame_in_any_descriptor_in_reach_is_no_answer(sandbox: Sandbox) -> None:
    assert await execute(sandbox, WRITE_EACH) == ("honest\n", "")


TRACE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
attach = libc.ptrace(16, os.getppid(), 0, 0)
piece = (ctypes.c_void_p * 2)(0, 8)
print(attach, libc.process_vm_writev(os.getppid(), piece, 1, piece, 1, 0))
"""


@boundaries
async def test_the_scorer_cannot_be_traced(sandbox: Sandbox) -> None:
    assert await execute(sandbox, TRACE) == ("-1 -1\n", "")


@boundaries
@pytest.mark.parametrize(
    ("attack", "reason"),
    [
        ("os.kill(os.getppid(), 9)", "exited"),
        ("os.kill(-1, 9)", "exited"),
        ("os.kill(os.getppid(), 19)", "wall_clock"),
    ],
)
async def test_whoever_stops_the_scorer_has_no_answer(
    sandbox: Sandbox, attack: str, reason: str
) -> None:
    code = f"import os, time\nprint('A')\n{attack}\ntime.sleep(9)"
    with pytest.raises(SandboxEnded) as caught:
        await execute(sandbox, code, limits=Limits(wall_s=2.0, cpu_s=20))
    assert caught.value.reason == reason


@every_sandbox
async def test_other_operations_are_refused(sandbox: Sandbox) -> None:
    async with sandbox.start(Job("score", {}, limits=LIMITS)) as running:
        reply = await running.request({"op": "predict"}, 10.0)
    assert reply == {"stdout": "", "error": "score knows no operation 'predict'"}
