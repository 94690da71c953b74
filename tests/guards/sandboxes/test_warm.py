"""The warm path: the same world as on the cold path, and nothing of the template or a sibling."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import anyio
import pytest

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from guards.sandboxes.sandbox import BrokerDoors, Job, Limits, Running, Sandbox, SandboxEnded
from tests.support.paths import ROOT
from tests.support.sandboxes import job, needs_bubblewrap, task_agent
from tests.support.servers.greeting import GREETED, GreetingBroker

pytestmark = [pytest.mark.anyio, needs_bubblewrap]
ASK = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}
WORLD = """
import sys
seen = {'modules': sorted(sys.modules)}
import gc, locale, os, resource, signal, socket, time
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
seen |= {
    'environment': list(os.environ.items()),
    'python': [sys.argv, sys.path, sys.flags, sys.executable, sys.getrecursionlimit()],
    'collector': [gc.isenabled(), gc.get_threshold()],
    'ids': [os.getpid(), os.getppid(), os.getsid(0), os.getpgrp(), os.getresuid(), os.getresgid()],
    'process': [os.getcwd(), os.umask(0o022), os.nice(0), sorted(os.listdir('/proc/self/fd'))],
    'parents': [sorted(p for p in os.listdir('/proc') if p.isdigit()), os.listdir('/proc/1/fd')],
    'kinds': [os.fstat(n).st_mode >> 12 for n in range(3)],
    'signals': [str(signal.getsignal(n)) for n in signal.valid_signals()],
    'limits': [resource.getrlimit(n) for n in range(16)],
    'rights': {k: v for k, v in status.items() if k[:3] in ('Cap', 'Sig', 'NoN', 'Sec', 'Thr')},
    'machine': [socket.gethostname(), time.tzname, locale.getlocale(), os.getgroups()],
    'hash': hash('a'),
    'folders': {p: sorted(os.listdir(p)) for p in ('/', '/dev', '/tmp', '/dev/pts', '/run', '.')},
    'room': [os.stat(p)[:6:5] + os.statvfs(p)[:3] for p in ('/tmp', '/workspace')],
    'modes': [(oct(os.stat(p).st_mode), os.stat(p).st_uid) for p in ('/tmp', '/workspace', '/')],
    'nesting': open('/proc/sys/user/max_user_namespaces').read(),
}
return repr({**seen, 'python': str(seen['python'])}), []
"""

TAKES_DOOR = """
import errno, os, socket
door, said = os.environ['HYPERSPACE_BROKER'], []
def other(path):
    with socket.socket(socket.AF_UNIX) as own: own.bind(path)
for does in (
    lambda: os.unlink(door), lambda: os.rename(door, door + 'x'), lambda: os.chmod(door, 0o777),
    lambda: other(door + 'x'), lambda: other(door),
):
    try: does()
    except OSError as error: said.append(errno.errorcode[error.errno])
with socket.socket(socket.AF_UNIX) as line:
    line.connect(door)
    said.append(line.recv(9).decode())
return ' '.join(said), []
"""

# The kernel counts descriptors that are under way, all of a user's together, when a message begins
# to be sent: each of many threads waits for a full queue with a message that was let pass.
SENDS_TO_NOBODY = """
import resource, socket, threading, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
threading.stack_size(65_536)
globals()['lines'] = lines = []
for number in range(110):
    source, sink = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
    sink.bind(f'\\0{number}')
    source.connect(f'\\0{number}')
    source.setblocking(False)
    try:
        while True: source.send(b'x')
    except BlockingIOError: source.setblocking(True)
    lines.append((source, sink))
sent = []
def send(source):
    socket.send_fds(source, [b'x'], [source.fileno()] * 250)
    sent.append(250)
for source, _ in lines: threading.Thread(target=send, args=(source,), daemon=True).start()
time.sleep(1.0)
for _, sink in lines:
    for _ in range(10): sink.recv(1)
time.sleep(1.0)
return str(sum(sent)), []
"""

# Pieces of memory that look like a canary; the pattern does not look like one itself.
SEARCH = """
import re
found = set()
with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:
    for line in maps.read().splitlines():
        ends, rights = line.split()[:2]
        start, end = (int(part, 16) for part in ends.split('-'))
        if rights[0] != 'r' or '[v' in line: continue
        try:
            memory.seek(start)
            found |= set(re.findall(rb'canary-[01]{32}', memory.read(end - start)))
        except OSError: pass
found |= set(re.findall(rb'canary-[01]{32}', open('secret', 'rb').read()))
return ' '.join(sorted(part.decode() for part in found)), []
"""
LEAVE = """
import os
ours, theirs = os.openpty()
for folder in ('/tmp', '/dev/shm', '/dev/mqueue', '.'):
    try: open(folder + '/left', 'w')
    except OSError: pass
return ' '.join(str(sorted(os.listdir(p))) for p in ('/dev/pts', '/tmp', '/run/hyperspace')), []
"""
LOOK = """
import os
seen = [sorted(os.listdir(p)) for p in ('/dev/pts', '/tmp', '/run/hyperspace')]
return ' '.join(map(str, [*seen, sorted(p for p in os.listdir('/proc') if p.isdigit())])), []
"""
# Where there may be one namespace for host names: a warm start needs two.
NO_NESTING = """
import anyio
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox, why_cold
from tests.support.sandboxes import job
async def main():
    async with WarmBubblewrapSandbox().start(job()) as running:
        ask = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}
        print((await running.request(ask, 20.0))["prediction"])
print(why_cold())
anyio.run(main)
"""
IN_A_NAMESPACE = (
    *("bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--dev-bind", "/", "/"),
    *("--cap-add", "CAP_SYS_RESOURCE", "sh", "-c"),
    "echo 1 > /proc/sys/user/max_uts_namespaces"
    ' && exec setpriv --inh-caps=-all --ambient-caps=-all "$@"',
    "sh",
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def warm() -> Iterator[WarmBubblewrapSandbox]:
    with closing(WarmBubblewrapSandbox()) as sandbox:
        yield sandbox


async def ask(running: Running) -> str:
    reply = await running.request(ASK, 20.0)
    return reply.get("prediction") or f"error: {reply.get('error')}"


async def world(sandbox: Sandbox, broker: BrokerDoors | None) -> dict[str, Any]:
    files = job(task=task_agent(WORLD)).files
    async with sandbox.start(Job("worker", files, broker, Limits(), "world")) as running:
        return ast.literal_eval(await ask(running))


@pytest.fixture
def broker() -> Iterator[BrokerDoors]:
    with GreetingBroker() as greeting:
        yield greeting


async def test_the_world_is_that_of_a_cold_start(warm: Sandbox, broker: BrokerDoors) -> None:
    cold = await world(BubblewrapSandbox(), broker)
    assert await world(warm, broker) == cold
    assert await world(warm, broker) == cold


async def test_what_agents_import_is_imported_ahead_unless_the_workspace_has_its_own(
    warm: Sandbox,
) -> None:
    seen = "import sys\nseen = 'typing' in sys.modules\nimport typing\n"
    code = seen + "return f'{seen} {typing.WHO}', []"
    own = job(task=task_agent(code), more={"typing.py": b"WHO = 'workspace'"})
    ahead = job(task=task_agent(code.replace("typing.WHO", "typing.Any")))
    for sandbox in (warm, BubblewrapSandbox()):
        async with sandbox.start(own) as running:
            assert await ask(running) == "False workspace"
        async with sandbox.start(ahead) as running:
            assert await ask(running) == "True typing.Any"


async def test_modules_that_were_compiled_ahead_are_taken_only_as_they_were(warm: Sandbox) -> None:
    shared = {"helper.py": b"WHO = 'shared'"}
    code = "import helper\nreturn f'{helper.WHO} {helper.__file__}', []"
    for files, answer in ((shared, "shared"), ({"helper.py": b"WHO = 'other'"}, "other")):
        files = job(task=task_agent(code), more=files).files
        async with warm.start(Job("worker", files, shared=shared)) as running:
            assert await ask(running) == f"{answer} /workspace/helper.py"


async def test_nothing_of_a_candidate_is_in_the_memory_of_the_next(warm: Sandbox) -> None:
    async def found(secret: str) -> str:
        files = {"secret": f"canary-{secret}".encode()}
        async with warm.start(job(task=task_agent(SEARCH), more=files)) as running:
            return await ask(running)

    ours, next_ones = "0" * 32, "1" * 32
    assert await found(ours) == f"canary-{ours}"
    assert await found(next_ones) == f"canary-{next_ones}"


async def test_siblings_share_no_files_terminals_or_brokers(
    warm: Sandbox, broker: BrokerDoors
) -> None:
    first = Job("worker", job(task=task_agent(LEAVE)).files, broker)
    second = Job("worker", job(task=task_agent(LOOK)).files)
    async with warm.start(first) as sibling, warm.start(second) as other:
        assert await ask(sibling) == "['0', 'ptmx'] ['left'] ['s']"
        assert await ask(other) == "['ptmx'] [] [] ['1', '2']"


async def test_a_candidate_can_neither_take_its_door_away_nor_be_a_broker(
    warm: Sandbox, broker: BrokerDoors
) -> None:
    async with warm.start(Job("worker", job(task=task_agent(TAKES_DOOR)).files, broker)) as running:
        assert await ask(running) == "EROFS EROFS EROFS EROFS EADDRINUSE hello"


@pytest.mark.long
async def test_descriptors_that_a_candidate_sends_to_nobody_keep_no_other_from_starting(
    warm: Sandbox,
) -> None:
    limits = Limits(wall_s=60.0, cpu_s=30)
    async with warm.start(job(task=task_agent(SENDS_TO_NOBODY), limits=limits)) as sender:
        reply = await sender.request(ASK, 60.0)
        assert int(reply["prediction"]) > 20_000  # more than the host may open
        for _ in range(4):
            with GreetingBroker() as broker, anyio.fail_after(60.0):
                wanted = Job("worker", job(task=task_agent(GREETED)).files, broker)
                async with warm.start(wanted) as running:
                    assert await ask(running) == "hello"


async def test_a_candidate_that_kills_all_it_can_harms_no_sibling(warm: Sandbox) -> None:
    kill = task_agent(
        "import os\nfor n in range(2, 400):\n    try: os.kill(n, 9)\n    except OSError: pass"
    )
    async with warm.start(job()) as sibling:
        async with warm.start(job(task=kill)) as killer:
            with pytest.raises(SandboxEnded, match="signal 9"):
                await ask(killer)
        assert await ask(sibling) == "1"
        async with warm.start(job()) as later:
            assert await ask(later) == "1"


async def test_many_at_once_are_all_answered(warm: Sandbox) -> None:
    async def one() -> None:
        async with warm.start(job()) as running:
            assert await ask(running) == "1"

    async with anyio.create_task_group() as group:
        for _ in range(24):
            group.start_soon(one)


@pytest.mark.long
def test_where_namespaces_cannot_nest_each_candidate_starts_cold() -> None:
    done = subprocess.run(
        [*IN_A_NAMESPACE, sys.executable, "-c", NO_NESTING],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reason, answer = done.stdout.splitlines()
    assert "no sandbox could be forked: NamespaceError" in reason
    assert answer == "1"
