"""The runner of executions: a fresh sandbox for each, and what may be told of it."""

import os
from pathlib import Path

import pytest

from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Sandbox, SandboxUnavailable
from guards.sandboxes.tools import INSTALL, find_tool, missing_tool, require_tools
from hyperspace.kernel.evaluation.scoring_sandbox import LIMITS, limits_for, runner, tools_of
from hyperspace.tasks.shapes.verified import Executed, Execution
from tests.support.sandboxes import EVERY_SANDBOX

pytestmark = pytest.mark.anyio
every_sandbox = pytest.mark.parametrize("sandbox", EVERY_SANDBOX)
PYTHON = ("{python}", "-s", "-S", "code.py")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def execution(code: str, cpu_s: int = 2) -> Execution:
    return Execution(files={"code.py": code.encode()}, steps=(PYTHON,), stdin="3\n", cpu_s=cpu_s)


@every_sandbox
async def test_each_execution_has_a_sandbox_of_its_own(sandbox: Sandbox) -> None:
    run = runner(sandbox, "scoring")
    code = "import os\nprint(os.path.exists('left'), int(input()) * 2)\nopen('left', 'w')"
    for _ in range(2):
        assert await run(execution(code)) == Executed("False 6\n")


@every_sandbox
async def test_code_that_ends_its_sandbox_has_no_say_in_the_reason(sandbox: Sandbox) -> None:
    # Without a boundary, the first process is the host's, and its output no test's to write into.
    first = "" if sandbox.name == "process" else "1, "
    code = (
        f"import os\nfor pid in ({first}os.getppid(),):\n"
        "  try: open(f'/proc/{pid}/fd/2', 'a').write('!')\n"
        "  except OSError: pass\nos.kill(os.getppid(), 9)"
    )
    ended = Executed("", "the program ended its sandbox")
    assert await runner(sandbox, "scoring")(execution(code)) == ended


async def test_a_reply_of_another_form_is_a_failure() -> None:
    # No boundary: the code writes into the channel of our program, which it can open here.
    frame = b'{"stdout": 5}'
    code = (
        f"import os, time\nframe = {len(frame).to_bytes(4, 'big') + frame!r}\n"
        "for n in range(3, 9):\n"
        "  try: os.write(os.open(f'/proc/{os.getppid()}/fd/{n}', 1), frame)\n"
        "  except OSError: pass\ntime.sleep(5)"
    )
    if os.getuid() != 0:
        pytest.skip("only root can reach into a process that closes its memory")
    broken = Executed("", "the program broke the sandbox's protocol")
    assert await runner(ProcessSandbox(), "scoring")(execution(code)) == broken


@every_sandbox
async def test_no_broker_and_no_network_is_in_reach(sandbox: Sandbox) -> None:
    code = "import os\nprint(os.environ.get('HYPERSPACE_BROKER'), os.environ.get('PYTHONHASHSEED'))"
    assert await runner(sandbox, "scoring")(execution(code)) == Executed("None 0\n")


@every_sandbox
async def test_node_runs_where_it_is_installed(sandbox: Sandbox) -> None:
    if find_tool("node") is None:
        pytest.skip(missing_tool("node"))
    code = b"for (const x of require('fs').readFileSync(0, 'utf8').trim()) console.log(x * 2)"
    made = Execution(files={"code.js": code}, steps=(("node", "code.js"),), stdin="34\n", cpu_s=5)
    if sandbox.name == "docker":
        with pytest.raises(SandboxUnavailable, match="Python alone"):
            await runner(sandbox, "scoring")(made)
    else:
        assert await runner(sandbox, "scoring")(made) == Executed("6\n8\n")


@every_sandbox
async def test_a_compiled_program_runs(sandbox: Sandbox) -> None:
    if find_tool("gcc") is None:
        pytest.skip(missing_tool("gcc"))
    if sandbox.name == "docker":
        pytest.skip("the image of the Docker sandbox holds Python alone")
    code = b'#include <stdio.h>\nint main(void) { int x; scanf("%d", &x); printf("%d\\n", x * 2); }'
    steps = (("gcc", "-o", "program", "code.c"), ("./program",))
    made = Execution(files={"code.c": code}, steps=steps, stdin="3\n")
    assert await runner(sandbox, "scoring")(made) == Executed("6\n")


def test_tools_and_memory_follow_from_the_commands() -> None:
    node = Execution(files={}, steps=(("node", "x.js"), ("./x",), ("node", "y.js")))
    assert tools_of(node.steps) == ("node",)
    assert limits_for(node).memory_bytes > limits_for(execution("")).memory_bytes
    assert limits_for(execution("", cpu_s=9)).cpu_s > 9
    assert LIMITS.memory_bytes == limits_for(execution("")).memory_bytes


def test_a_missing_tool_is_one_sentence_with_what_to_install() -> None:
    for name in INSTALL.keys() - {"node"}:  # which a wheel may bring
        assert find_tool(name, search="/nonexistent") is None
        with pytest.raises(SandboxUnavailable, match="install"):
            require_tools([name], search="/nonexistent")
    with pytest.raises(SandboxUnavailable, match=r"no tool 'cobol'; there are node, gcc"):
        require_tools(["cobol"])


def test_scripts_and_tools_of_other_folders_are_not_taken(tmp_path: Path) -> None:
    for name in ("node", "gcc"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert find_tool("gcc", search=str(tmp_path)) is None
    node = find_tool("node", search=str(tmp_path))
    assert node is None or not node.program.is_relative_to(tmp_path)
