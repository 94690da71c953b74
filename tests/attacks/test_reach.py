"""Attacks that try to reach something outside: network, keys, files, the host's kernel.

Each returns a word when it got through and raises when it did not. Those marked `open` are also run
without a boundary, where they must get through: so they fail inside for the right reason.
"""

import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from guards.process import ProcessSandbox
from guards.sandbox import Sandbox
from tests.support.sandboxes import BOUNDARIES, job, task_agent

pytestmark = pytest.mark.anyio
CANARY = "canary-5f0c1d"


REFUSED = (
    "PermissionError|FileNotFoundError|ProcessLookupError|OSError|AssertionError|"
    "CalledProcessError|gaierror|NotADirectoryError"
)


class Attack(NamedTuple):
    code: str
    open: bool = False  # gets through where there is no boundary
    error: str = REFUSED  # what it runs into inside


def command(line: str) -> str:
    return (
        f"import subprocess as s\ns.run({line.split()!r}, check=True, timeout=9)\nreturn 'ran', []"
    )


def syscall(x86: int, arm: int, *arguments: int) -> Attack:
    number = x86 if platform.machine() == "x86_64" else arm
    return Attack(
        "import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"done = libc.syscall({', '.join(map(str, (number, *arguments)))})\n"
        # Any other error means that the kernel looked at the call.
        "assert done != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS)\n"
        "return 'called', []"
    )


def connect(family: str, address: str, kind: str = "SOCK_STREAM") -> str:
    return (
        f"import socket as n\ns = n.socket(n.{family}, n.{kind})\ns.settimeout(1)\n"
        f"s.connect({address})\nreturn 'connected', []"
    )


def opened(family: str, kind: str) -> str:
    return f"import socket as n\nn.socket(n.{family}, n.{kind})\nreturn 'opened', []"


def read(path: str) -> str:
    return f"return open({path}).read()[:9] or 'empty', []"


def write(path: str) -> str:
    return f"open({path}, 'w').write('x')\nreturn 'written', []"


def search(pattern: str, words: str) -> str:
    return (
        f"import glob\nfor path in glob.glob({pattern!r}):\n"
        "    try: text = open(path, 'rb').read()\n    except OSError: continue\n"
        f"    if {words.encode()!r} in text: return 'found', []\nassert False"
    )


NETWORK = {
    "tcp to the host's loopback": Attack(connect("AF_INET", "('127.0.0.1', i['port'])"), True),
    "tcp to the host's address": Attack(connect("AF_INET", "(i['address'], i['port'])"), True),
    "tcp to the host's loopback, v6": Attack(connect("AF_INET6", "('::1', i['port'])")),
    "udp": Attack(connect("AF_INET", "('127.0.0.1', i['port'])", "SOCK_DGRAM"), True),
    "cloud metadata": Attack(connect("AF_INET", "('169.254.169.254', 80)")),
    "name lookup": Attack(
        "import socket\nreturn str(socket.getaddrinfo('localhost', 80)), []", True
    ),
    "raw socket": Attack(opened("AF_INET", "SOCK_RAW")),
    "packet socket": Attack(opened("AF_PACKET", "SOCK_RAW")),
    "netlink": Attack(opened("AF_NETLINK", "SOCK_RAW"), True),
    "vsock": Attack(opened("AF_VSOCK", "SOCK_STREAM")),
    "kernel crypto": Attack(opened("AF_ALG", "SOCK_SEQPACKET")),
    "abstract socket": Attack(
        connect("AF_UNIX", "'\\0' + i['abstract']"), True, "ConnectionRefusedError"
    ),
    "socket of the host": Attack(connect("AF_UNIX", "i['socket']"), True),
    "docker socket": Attack(connect("AF_UNIX", "'/var/run/docker.sock'")),
    "tcp by the shell": Attack(
        "import subprocess as s\nline = f\": </dev/tcp/127.0.0.1/{i['port']}\"\n"
        "s.run(['bash', '-c', line], check=True)\nreturn 'connected', []",
        True,
    ),
}
KEYS = {
    "environment": Attack(
        "import os\nassert any(i['canary'] in v for v in os.environ.values())\nreturn 'key', []"
    ),
    "environment of all processes": Attack(search("/proc/*/environ", CANARY), True),
    "command lines of all processes": Attack(search("/proc/*/cmdline", "sleep"), True),
    "environment of the coordinator": Attack(read("f\"/proc/{i['pid']}/environ\""), True),
    "memory of the coordinator": Attack("open(f\"/proc/{i['pid']}/mem\", 'rb')\nreturn 'mem', []"),
    "files of the coordinator": Attack(
        "import os\nreturn str(os.listdir(f\"/proc/{i['pid']}/fd\")), []", True
    ),
}
FILES = {
    "a file of the host": Attack(read("i['secret']"), True),
    "a file through a link": Attack(
        "import os\nos.symlink(i['secret'], 'link')\n" + read("'link'"), True
    ),
    "password file": Attack(read("'/etc/shadow'")),
    "user list": Attack(read("'/etc/passwd'"), True),
    "home": Attack("import os\nreturn str(os.listdir(i['home'])), []", True),
    "checkout": Attack("import os\nreturn str(os.listdir(i['checkout'])), []", True),
    "our packages": Attack(
        "import sys\nsys.path += i['path']\nimport msgspec\nreturn 'imported', []",
        True,
        "ModuleNotFoundError",
    ),
    "the system's packages": Attack(
        "import glob\nassert glob.glob('/usr/lib*/python3*/*-packages/*')\nreturn 'seen', []"
    ),
    "sys": Attack("import os\nassert os.listdir('/sys')\nreturn 'seen', []", True),
    "boot": Attack("import os\nreturn str(os.listdir('/boot')), []"),
    "up and out": Attack(read("'../' * 20 + i['secret']"), True),
    "root of the first process": Attack(read("'/proc/1/root' + i['secret']")),
    "write to system folders": Attack(write("'/usr/bin/planted'")),
    "write to the interpreter": Attack("import os\n" + write("os.__file__")),
    "write to the root": Attack(write("'/planted'")),
    "write to shared memory": Attack(write("'/dev/shm/planted'")),
    "write to the kernel": Attack(write("'/proc/sys/kernel/core_pattern'")),
    "write beside packages": Attack(write("'/usr/lib/python3/dist-packages/planted.pth'")),
    "write to the broker's folder": Attack(write("'/run/hyperspace/planted'")),
}
KERNEL = {
    "signal to the coordinator": Attack("import os\nos.kill(i['pid'], 0)\nreturn 'sent', []", True),
    "device node": Attack("import os\nos.mknod('d', 0o20666, os.makedev(1, 1))\nreturn 'd', []"),
    "chroot": Attack("import os\nos.chroot('.')\nreturn 'changed', []"),
    "becoming root": Attack("import os\nos.setuid(0)\nreturn 'root', []"),
    "giving a file away": Attack("import os\nopen('f', 'w')\nos.chown('f', 0, 0)\nreturn 'f', []"),
    "raising a limit": Attack(
        "import resource as r\nr.setrlimit(r.RLIMIT_CPU, (9999, 9999))\nreturn 'raised', []",
        error="ValueError: not allowed to raise maximum limit",
    ),
    "raising priority": Attack("import os\nos.nice(-5)\nreturn 'faster', []"),
    "setting the clock": Attack("import time\ntime.clock_settime(0, 0)\nreturn 'set', []"),
    "host name": Attack("import os\nassert os.uname()[1] == i['node']\nreturn 'seen', []", True),
    "new user namespace": Attack(command("unshare --user true")),
    "new mount namespace": Attack(command("unshare --mount true")),
    "a sandbox in the sandbox": Attack(command("bwrap --ro-bind / / true")),
    "mount": Attack(command("mount -t tmpfs none /tmp")),
    "terminal": Attack("open('/dev/tty')\nreturn 'terminal', []"),
    "clone with namespaces": syscall(56, 220, 0x10000000 | 17, 0, 0, 0, 0),
    "clone3": syscall(435, 435, 0, 0),
    "setns": syscall(308, 268, 0, 0),
    "ptrace": syscall(101, 117, 16, 1, 0, 0),
    "reading another's memory": syscall(310, 270, 1, 0, 0, 0, 0, 0),
    "keyrings": syscall(250, 219, 0, 0xFFFFFFFD, 0),
    "bpf": syscall(321, 280, 0, 0, 0),
    "performance events": syscall(298, 241, 0, 0, 0, 0, 0),
    "user faults": syscall(323, 282, 0),
    "io_uring": syscall(425, 425, 0, 0),
    "kernel image": syscall(320, 294, 0, 0, 0, 0, 0),
    "kernel module": syscall(313, 273, 0, 0, 0),
    "new mount calls": syscall(430, 430, 0, 0),
    "descriptor of another process": syscall(438, 438, 0, 0, 0),
    "file handles": syscall(304, 265, 0, 0, 0),
    "memory without a file": syscall(319, 279, 0, 0),
    "shared memory segment": syscall(29, 194, 0, 4096, 0o1600),
    "x32 calls": syscall(0x40000000 + 39, 10**6),
}
EVERY = {**NETWORK, **KEYS, **FILES, **KERNEL}
OPEN = [name for name, attack in EVERY.items() if attack.open]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A host with something to reach; what attacks are told about it is the truth."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "secret").write_text(CANARY)
    names = {"abstract": f"hyperspace-{os.getpid()}", "socket": str(folder / "s")}
    with (
        socket.create_server(("", 0)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as named,
        pytest.MonkeyPatch.context() as patch,
        subprocess.Popen(["sleep", "120"], env={"HYPERSPACE_TEST_KEY": CANARY}) as process,
    ):
        patch.setenv("HYPERSPACE_TEST_KEY", CANARY)
        for listener, name in ((abstract, "\0" + names["abstract"]), (named, names["socket"])):
            listener.bind(name)
            listener.listen()
        yield {
            **names,
            "port": server.getsockname()[1],
            "address": own_address(),
            "canary": CANARY,
            "pid": os.getpid(),
            "secret": str(folder / "secret"),
            "home": str(Path.home()),
            "checkout": str(Path(__file__).parents[2]),
            "path": [path for path in sys.path if path.endswith("site-packages")],
            "node": platform.node(),
        }
        process.kill()


def own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return "127.0.0.2"
        return probe.getsockname()[0]


async def play(sandbox: Sandbox, attack: Attack, inputs: dict[str, Any]) -> dict[str, Any]:
    task = task_agent(f"i = inputs\n{attack.code}")
    request = {"op": "predict", "id": "1", "inputs": inputs, "model": "m"}
    async with sandbox.start(job(task=task)) as running:
        return await running.request(request, 20.0)


@pytest.mark.parametrize("sandbox", BOUNDARIES)
@pytest.mark.parametrize("name", EVERY)
async def test_attack_reaches_nothing(sandbox: Sandbox, name: str, target: dict[str, Any]) -> None:
    reply = await play(sandbox, EVERY[name], target)
    assert re.match(EVERY[name].error, reply.get("error", "")), reply


@pytest.mark.parametrize("name", OPEN)
async def test_attack_gets_through_where_there_is_no_boundary(
    name: str, target: dict[str, Any]
) -> None:
    reply = await play(ProcessSandbox(), EVERY[name], target)
    assert reply.get("prediction"), reply


@pytest.mark.parametrize("sandbox", BOUNDARIES)
async def test_nothing_else_is_visible(sandbox: Sandbox, target: dict[str, Any]) -> None:
    walk = (
        "import os\nfound = []\nempty = os.stat('/dev/null').st_rdev\n"
        "for top in sorted(os.listdir('/')):\n"
        "    if os.path.islink('/' + top) or top in ('usr', 'proc', 'dev'): continue\n"
        "    for place, _, names in os.walk('/' + top): found += [place + '/' + n for n in names]\n"
        # A container hides files behind the empty device, and links to its list of mounts.
        "found = [f for f in found if os.path.islink(f) or os.stat(f).st_rdev != empty]\n"
        "known = ('/etc/alternatives/', '/etc/mtab')\n"
        "return '\\n'.join(f for f in found if not f.startswith(known)), []"
    )
    reply = await play(sandbox, Attack(walk), target)
    assert sorted(reply["prediction"].split("\n")) == [
        "/workspace/agent/__init__.py",
        "/workspace/evals/train_items.jsonl",
        "/workspace/meta_agent.py",
        "/workspace/strategies/peer_gen1/task_agent.py",
        "/workspace/task_agent.py",
    ]
