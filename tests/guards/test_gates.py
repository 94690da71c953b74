import pytest

from guards.gates import GateResult, run_gates
from guards.sandboxes.process import ProcessSandbox
from tests.support.sandboxes import META, TASK, job, meta_agent, task_agent

pytestmark = pytest.mark.anyio

BAD = {
    "syntax": (("class :", META), "compile", "SyntaxError"),
    "meta syntax": ((TASK, "def"), "compile", "meta_agent.py: SyntaxError"),
    "null bytes": (("a\0b", META), "compile", "task_agent.py"),
    "too deep": (("(" * 5000, META), "compile", "task_agent.py"),
    "import": (("import nothing_here\n", META), "import", "No module named 'nothing_here'"),
    "exit at import": (("import os; os._exit(0)", META), "import", "status 0"),
    "no class": (("x = 1", META), "signature", "no class TaskAgent"),
    "no forward": (("class TaskAgent:\n  def __init__(self, m): 0", META), "signature", "forward"),
    "bad arguments": ((TASK.replace("inputs", "a, b, c", 1), META), "signature", "(inputs)"),
    "no model": ((TASK.replace("model, log", "log"), META), "smoke", "model"),
    "meta without class": ((TASK, "x = 1"), "signature", "no class MetaAgent"),
    "meta without forward": ((TASK, "class MetaAgent:\n  a = 1"), "signature", "forward"),
    "smoke": ((task_agent("return 1 / 0"), META), "smoke", "ZeroDivisionError"),
    "exit at smoke": ((task_agent("import os; os._exit(0)"), META), "smoke", "status 0"),
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def through_gates(task: str, meta: str) -> GateResult:
    async with ProcessSandbox().start(job(task=task, meta=meta)) as running:
        return await run_gates(running, {"q": "smoke"}, "m", 10.0)


@pytest.mark.long
@pytest.mark.parametrize("name", BAD)
async def test_bad_code_fails_at_its_gate_with_one_line(name: str) -> None:
    (task, meta), gate, words = BAD[name]
    result = await through_gates(task, meta)
    assert not result.passed
    assert (result.gate, words in result.error) == (gate, True), result
    assert "\n" not in result.error


async def test_variable_arguments_and_inheritance_pass() -> None:
    task = "class Base:\n  def forward(self, *a, **k): return 'x', []\nclass TaskAgent(Base):\n"
    task += "  def __init__(self, *a): pass"
    meta = "class Base: pass\nclass MetaAgent(Base): pass"
    assert (await through_gates(task, meta)).passed


async def test_a_hung_import_is_ended_and_says_so() -> None:
    async with ProcessSandbox().start(job(task="import time; time.sleep(60)")) as running:
        result = await run_gates(running, {}, "m", 0.3)
    assert (result.gate, result.ended) == ("import", "wall_clock")


async def test_the_meta_agent_is_read_but_not_run() -> None:
    meta = meta_agent("pass") + "\nraise SystemExit(1)\n"
    assert (await through_gates(TASK, meta)).passed
