"""Ordinary programs run under the filter for system calls, on what older kernels have, too."""

import pytest

from guards.sandboxes.sandbox import Limits, Sandbox
from tests.support.sandboxes import BOUNDARIES, job, task_agent

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("sandbox", BOUNDARIES)]
ASK = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}
LIMITS = Limits(wall_s=30.0, cpu_s=20)
PROGRAMS = {
    "threads and processes": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from multiprocessing import Pipe, Process\n"
        "ours, theirs = Pipe()\nchild = Process(target=theirs.send, args=(3,))\nchild.start()\n"
        "with ThreadPoolExecutor(2) as threads: numbers = [*threads.map(abs, [-1, -2])]\n"
        "return str([*numbers, ours.recv()]), []",
        "[1, 2, 3]",
    ),
    "children of an event loop": (
        "import asyncio\nasync def main():\n"
        "    child = await asyncio.create_subprocess_exec('echo', 'said', stdout=-1)\n"
        "    return (await child.communicate())[0].decode() + await asyncio.to_thread(str, 5)\n"
        "return asyncio.run(main()), []",
        "said\n5",
    ),
    "a database in a file, and locks of its ranges": (
        "import sqlite3\nfor _ in range(2):\n"
        "    with sqlite3.connect('d') as d:\n"
        "        d.execute('pragma journal_mode=wal')\n"
        "        d.execute('create table if not exists t(x)')\n"
        "        d.execute('insert into t values (4)')\n"
        "return str(d.execute('select x from t').fetchall()), []",
        "[(4,), (4,)]",
    ),
    "reading in parts, without flags": (
        "import os\nopen('f', 'w').write('text')\npart = bytearray(3)\n"
        "return str(os.preadv(os.open('f', 0), [part], 1)) + part.decode(), []",
        "3ext",
    ),
    "copies, archives and memory of files": (
        "import mmap, os, shutil, tempfile\nopen('f', 'w').write('x' * 9999)\n"
        "shutil.copytree('.', tempfile.mkdtemp() + '/c')\nshutil.copy2('f', 'g')\n"
        "with open('g', 'r+') as g, mmap.mmap(g.fileno(), 0) as m:\n"
        "    m[:1] = b'y'\n    m.madvise(mmap.MADV_DONTNEED)\n    m.flush()\n"
        "return open('g').read()[:2] + str(os.path.getsize('g')), []",
        "yx9999",
    ),
    "a shell and its tools": (
        "import subprocess\nlines = 'cp -a /workspace /tmp/w; echo b > f; echo a >> f; sort f;'\n"
        "lines += 'cat f | wc -l; mkfifo p; ls p; touch -d @0 f; date -u -r f +%Y; sync'\n"
        "return subprocess.run(['bash', '-ec', lines], capture_output=True, text=True).stdout, []",
        "a\nb\n2\np\n1970\n",
    ),
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("name", PROGRAMS)
async def test_it_runs_inside(sandbox: Sandbox, name: str) -> None:
    code, expected = PROGRAMS[name]
    async with sandbox.start(job(task=task_agent(code), limits=LIMITS)) as running:
        reply = await running.request(ASK, 20.0)
    assert reply.get("prediction") == expected, reply.get("error")
