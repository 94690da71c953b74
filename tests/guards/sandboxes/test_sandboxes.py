import os
import time
from pathlib import Path

import anyio
import msgspec
import pytest

from guards.gates import run_gates
from guards.sandboxes.sandbox import Limits, Sandbox, SandboxEnded, SandboxFailed
from guards.scope.edit_scope import EditScope
from guards.scope.ingest import ingest
from tests.support.sandboxes import (
    EVERY_SANDBOX,
    FILES,
    job,
    meta_agent,
    modify,
    task_agent,
)
from tests.support.servers.greeting import GREETED, GreetingBroker

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("sandbox", EVERY_SANDBOX)]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def ask(question: object = 1, model: str = "m") -> dict[str, object]:
    return {"op": "predict", "id": f"id-{question}", "inputs": {"q": question}, "model": model}


async def answer(sandbox: Sandbox, task: str, limits: Limits | None = None) -> dict[str, object]:
    made = job(task=task, limits=limits) if limits else job(task=task)
    async with sandbox.start(made) as running:
        return await running.request(ask(), 10.0)


async def test_worker_answers_item_by_item_under_the_ids_of_the_host(sandbox: Sandbox) -> None:
    async with sandbox.start(job()) as running:
        for question in range(3):
            reply = await running.request(ask(question), 10.0)
            assert reply == {"id": f"id-{question}", "prediction": str(question)}


async def test_prints_of_the_agent_reach_neither_us_nor_its_answers(
    sandbox: Sandbox, capfd: pytest.CaptureFixture[str]
) -> None:
    task = task_agent("import os\nprint('one'); os.system('echo two')\nreturn 'three', []")
    assert (await answer(sandbox, task))["prediction"] == "three"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("raise ValueError('no\\nway')", "ValueError: no way (task_agent.py, line 5)"),
        ("raise SystemExit(0)", "SystemExit: 0 (task_agent.py, line 5)"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt (task_agent.py, line 5)"),
        ("return 'x'", "TypeError: forward must return (prediction, history), not str"),
        ("return 5, []", "TypeError: a prediction is a str, not int"),
        ("return 'x' * 2_000_001, []", "ValueError: a prediction has at most 2000000 characters"),
    ],
)
async def test_an_item_that_fails_is_an_answer_and_the_next_item_works(
    sandbox: Sandbox, body: str, error: str
) -> None:
    task = task_agent(f"if inputs['q'] == 1:\n    {body}\nreturn 'fine', []").replace(
        "    if", "  if"
    )
    task = task_agent(f"if inputs['q'] == 1: {body}\nreturn 'fine', []")
    async with sandbox.start(job(task=task)) as running:
        failed = await running.request(ask(1), 10.0)
        assert str(failed["error"]).startswith(error), failed
        assert (await running.request(ask(2), 10.0))["prediction"] == "fine"


async def test_modify_edits_the_workspace_and_what_comes_out_can_be_ingested(
    sandbox: Sandbox,
) -> None:
    meta = meta_agent(
        "open(os.path.join(repo_path, 'task_agent.py'), 'a').write('# better\\n')\n"
        "open('agent/__init__.py', 'w').write('PATCHED = 1\\n')"
    )
    started = job("modify", meta=meta)
    async with sandbox.start(started) as running:
        assert await running.request(modify(running.inside_path), 10.0) == {"ok": True}
        folder = await running.finish()
        taken = ingest(folder, started.files, EditScope(("task_agent.py", "meta_agent.py")))
        os.close(folder)
    assert taken.files["task_agent.py"] == FILES["task_agent.py"] + b"# better\n"
    assert [(c.path, c.verdict) for c in taken.changes] == [
        ("agent/__init__.py", "reverted"),
        ("task_agent.py", "accepted"),
    ]


async def test_a_meta_agent_that_raises_is_told_with_its_place(sandbox: Sandbox) -> None:
    async with sandbox.start(job("modify", meta=meta_agent("undefined"))) as running:
        reply = await running.request(modify(running.inside_path), 10.0)
    assert reply["ok"] is False
    assert reply["error"] == "NameError: name 'undefined' is not defined (meta_agent.py, line 5)"
    assert 'File "meta_agent.py", line 5' in reply["traceback"]


async def test_finish_ends_what_still_writes(sandbox: Sandbox) -> None:
    loop = "import subprocess\nsubprocess.Popen(['sh', '-c', 'while :; do date >> busy; done'])"
    meta = meta_agent(f"{loop}\nimport time\nwhile not os.path.exists('busy'): time.sleep(.01)")
    async with sandbox.start(job("modify", meta=meta)) as running:
        await running.request(modify(running.inside_path), 10.0)
        folder = await running.finish()
        sizes = [os.stat("busy", dir_fd=folder).st_size]
        await anyio.sleep(0.1)
        sizes.append(os.stat("busy", dir_fd=folder).st_size)
        os.close(folder)
        with pytest.raises(SandboxEnded):
            await running.request(modify("x"), 1.0)
    assert sizes[0] == sizes[1]


async def test_edits_can_be_seen_from_the_host_while_they_happen(sandbox: Sandbox) -> None:
    async with sandbox.start(job(task=task_agent("open('seen', 'w')\nreturn '', []"))) as running:
        await running.request(ask(), 10.0)
        assert (running.workspace / "seen").exists()


@pytest.mark.parametrize(
    ("body", "limits", "reason", "detail"),
    [
        ("import os; os._exit(0)", Limits(), "exited", "status 0"),
        ("import os; os.abort()", Limits(), "exited", "signal 6"),
        ("while True: pass", Limits(cpu_s=1), "cpu_time", "used up its CPU time"),
        ("import time; time.sleep(99)", Limits(wall_s=0.4), "wall_clock", "0.4 s in all"),
        ("while True: print('x' * 999)", Limits(output_bytes=100_000), "output", "100000 bytes"),
        ("return 'x' * 9_999, []", Limits(frame_bytes=999), "protocol", "a frame of"),
        ("import os; os.closerange(3, 99)", Limits(), "exited", "status 1"),
    ],
)
async def test_code_that_breaks_a_bound_is_ended_with_the_reason(
    sandbox: Sandbox, body: str, limits: Limits, reason: str, detail: str
) -> None:
    with pytest.raises(SandboxEnded) as caught:
        await answer(sandbox, task_agent(body), limits)
    assert caught.value.reason == reason
    assert detail in caught.value.detail


async def test_an_answer_that_takes_too_long_ends_the_sandbox(sandbox: Sandbox) -> None:
    async with sandbox.start(job(task=task_agent("import time\ntime.sleep(99)"))) as running:
        with pytest.raises(SandboxEnded, match=r"wall_clock: no answer within 0\.2 s"):
            await running.request(ask(), 0.2)
        with pytest.raises(SandboxEnded, match="wall_clock"):
            await running.request(ask(), 10.0)


async def test_a_wall_clock_stands_still_while_somebody_else_is_to_blame(sandbox: Sandbox) -> None:
    began = time.monotonic()

    def paused_s() -> float:
        return min(time.monotonic() - began, 1.5)

    slow = job(task=task_agent("import time\ntime.sleep(0.6)\nreturn 'x', []"))
    made = msgspec.structs.replace(slow, paused_s=paused_s)
    async with sandbox.start(made) as running:
        began = time.monotonic()
        assert (await running.request(ask(1), 0.2))["prediction"] == "x"
        with pytest.raises(SandboxEnded, match="wall_clock"):
            for question in range(2, 9):
                await running.request(ask(question), 0.2)


async def test_the_last_words_are_in_the_message(sandbox: Sandbox) -> None:
    task = task_agent("import os\nprint('so\\x1b[31m long')\nos._exit(3)")
    with pytest.raises(SandboxEnded, match=r"status 3; last output: so \[31m long"):
        await answer(sandbox, task)


async def test_an_error_of_the_body_leaves_unwrapped(sandbox: Sandbox) -> None:
    with pytest.raises(KeyError):
        async with sandbox.start(job()):
            raise KeyError("mine")


async def test_paths_that_lead_out_of_the_workspace_are_refused(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxFailed, match=r"\.\./evil"):
        async with sandbox.start(job(more={"../evil": b""})):
            pass


async def test_equal_jobs_see_an_equal_world(sandbox: Sandbox) -> None:
    task = task_agent(
        "import os, sys, time\nkeys = sorted(k for k in os.environ)\n"
        "times = [os.stat(p).st_mtime for p in ('task_agent.py', 'evals', '.')]\n"
        "return repr((keys, times, hash('a'), time.tzname, sys.flags.hash_randomization)), []"
    )
    assert await answer(sandbox, task) == await answer(sandbox, task)


async def test_the_broker_is_reached_over_its_socket(sandbox: Sandbox) -> None:
    with GreetingBroker() as broker:
        with_broker = msgspec.structs.replace(job(task=task_agent(GREETED)), broker=broker)
        async with sandbox.start(with_broker) as running:
            assert (await running.request(ask(), 10.0)).get("prediction") == "hello"


async def test_cancellation_leaves_no_process(sandbox: Sandbox) -> None:
    task = task_agent("import os\nos.system('sleep 4242.5 &')\nos.system('sleep 4242.5')")
    with anyio.move_on_after(0.5) as scope:
        async with sandbox.start(job(task=task)) as running:
            await running.request(ask(), 60.0)
    assert scope.cancelled_caught
    assert not processes_with("sleep\x004242.5")


async def test_an_unknown_operation_is_told(sandbox: Sandbox) -> None:
    async with sandbox.start(job()) as running:
        reply = await running.request({"op": "dance"}, 10.0)
    assert reply == {"ok": False, "error": "worker knows no operation 'dance'"}


async def test_gates_pass_sound_code(sandbox: Sandbox) -> None:
    async with sandbox.start(job()) as running:
        result = await run_gates(running, {"q": 1}, "m", 10.0)
    assert (result.passed, result.gate, result.error) == (True, "passed", "")


def processes_with(command: str) -> list[int]:
    until = time.monotonic() + 60.0
    while pids := _running(command):
        if time.monotonic() > until:
            break
        time.sleep(0.02)
    return pids


def _running(command: str) -> list[int]:
    pids: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and command in (entry / "cmdline").read_text():
                pids.append(int(entry.name))
        except OSError:
            continue
    return pids
