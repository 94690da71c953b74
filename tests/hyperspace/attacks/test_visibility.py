"""What code inside can see at all, and calls that not every kernel has."""

import platform

import pytest

from guards.sandboxes.sandbox import Sandbox
from tests.support.sandboxes import BOUNDARIES, job, task_agent

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("sandbox", BOUNDARIES)]
WALK = (
    "import os\nfound = []\nempty = os.stat('/dev/null').st_rdev\n"
    "for top in sorted(os.listdir('/')):\n"
    "    if os.path.islink('/' + top) or top in ('usr', 'proc', 'dev'): continue\n"
    "    for path, _, names in os.walk('/' + top): found += [path + '/' + n for n in names]\n"
    # A container hides files behind the empty device, and links to its list of mounts.
    "found = [f for f in found if os.path.islink(f) or os.stat(f).st_rdev != empty]\n"
    "known = ('/etc/alternatives/', '/etc/mtab')\n"
    "return '\\n'.join(f for f in found if not f.startswith(known)), []"
)
# Where a kernel lacks them nothing shows that the filter stops them, so they are not attacks.
CALLS = {
    "kernel image": (320, 294),
    "kernel module": (313, 273),
    "a module from memory": (175, 105),
    "fast kernel image": (246, 104),
}
FAMILIES = ("AF_VSOCK", "AF_ALG", "AF_BLUETOOTH", "AF_CAN", "AF_TIPC")


async def play(sandbox: Sandbox, code: str) -> dict[str, object]:
    request = {"op": "predict", "id": "1", "inputs": dict[str, str](), "model": "m"}
    async with sandbox.start(job(task=task_agent(code))) as running:
        return await running.request(request, 20.0)


async def test_nothing_but_the_workspace_is_visible(sandbox: Sandbox) -> None:
    reply = await play(sandbox, WALK)
    assert sorted(str(reply["prediction"]).split("\n")) == [
        "/workspace/agent/__init__.py",
        "/workspace/evals/train_items.jsonl",
        "/workspace/meta_agent.py",
        "/workspace/strategies/peer_gen1/task_agent.py",
        "/workspace/task_agent.py",
    ]


@pytest.mark.parametrize("name", CALLS)
async def test_calls_that_change_the_kernel_are_refused(sandbox: Sandbox, name: str) -> None:
    number = CALLS[name][platform.machine() == "aarch64"]
    code = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"libc.syscall({number}, -1, 0, 0, 0, 0)\nreturn str(ctypes.get_errno()), []"
    )
    assert (await play(sandbox, code))["prediction"] == "1"  # EPERM


@pytest.mark.parametrize("family", FAMILIES)
async def test_rare_address_families_are_refused(sandbox: Sandbox, family: str) -> None:
    code = f"import socket\nsocket.socket(socket.{family}, socket.SOCK_STREAM)"
    assert "Address family not supported" in str((await play(sandbox, code))["error"])


@pytest.mark.parametrize("path", ["/dev/tty", "/var/run/docker.sock", "/run/docker.sock"])
async def test_terminal_and_daemon_are_not_there(sandbox: Sandbox, path: str) -> None:
    reply = await play(sandbox, f"import os\nos.close(os.open({path!r}, os.O_RDWR))")
    assert str(reply["error"]).startswith(("FileNotFoundError", "OSError", "NotADirectoryError"))
