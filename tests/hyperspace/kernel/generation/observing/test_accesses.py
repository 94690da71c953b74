"""What is seen of the accesses of code in real sandboxes: ways to read, and ways to hide."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Limits, Running, Sandbox
from hyperspace.kernel.generation.observing.accesses import (
    Accesses,
    AccessLog,
    AccessWatch,
    ObservedAccess,
    read_accesses,
)
from hyperspace.kernel.generation.observing.watch import EditLog, watch_edits
from hyperspace.kernel.state.folder import ACCESSES
from tests.support.sandboxes import BOUNDARIES, EVERY_SANDBOX, job, meta_agent

pytestmark = pytest.mark.anyio

PEER = "strategies/peer_gen1/task_agent.py"
PAST = "evals/gen_1/task_agent.py"
WORDS = "principal/messages.jsonl"
FILES = {
    PEER: b"RED = 1\nBLUE = 2\n" * 100,
    PAST: b"OLD = 1\n",
    WORDS: b"{}\n",
    "notes.md": b"first\n",
}
HEAD = f"import mmap, os, pathlib, shutil, subprocess, threading, time\nP = {PEER!r}\n"
# The workspace's path tells nothing here, so that the place for the evaluations holds what to do.
META = meta_agent("os.chdir(repo_path); exec(eval_path, {})")

SHELL_READS = [
    f"cat {PEER}",
    f"head -n1 {PEER}",
    f"tail -n1 {PEER}",
    f"sed -n 1p {PEER}",
    f"awk 1 {PEER}",
    f"grep RED {PEER}",
    "grep -r RED strategies",
    f"cp {PEER} copy.py",
    "cp -r strategies theirs",
    "tar cf /dev/null --to-stdout strategies; tar cf all.tar strategies",
    f"dd if={PEER} of=copy.py bs=1",
    f"ln {PEER} hard.py && cat hard.py",
    f"ln -s {PEER} soft.py && cat soft.py",
    "mv strategies/peer_gen1 moved && cat moved/task_agent.py; mv moved strategies/peer_gen1",
    f"mv {PEER} taken.py; mv taken.py {PEER}",
    f"x=$(<{PEER})",
    f"mapfile x < {PEER}",
    f"while read -r line; do :; done < {PEER}",
    "find strategies -name '*.py' -exec cat {} +",
    "find strategies -name '*.py' | xargs cat",
    f"diff {PEER} task_agent.py || true",
    f"cmp {PEER} task_agent.py || true",
    f"sort {PEER}",
    f"wc -l {PEER}",
    "cd strategies/p* && cat t*",
    f"cat /proc/self/cwd/{PEER}",
    f"cat strategies/../{PEER}",
    f"(sleep 0.05; cat {PEER}) & wait",
    f"exec 3< {PEER}; cat <&3",
    # Last: nothing is read, and yet the peer's file has become the agent's own.
    f"ln {PEER} x.py && rm {PEER} && mv x.py task_agent.py",
]
PYTHON_READS = [
    "open(P).read()",
    "pathlib.Path(P).read_bytes()",
    "shutil.copy(P, 'copy.py')",
    "shutil.copytree('strategies', 'theirs')",
    "f = open(P, 'rb'); mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:]",
    "i = os.open(P, os.O_RDONLY); o = os.open('x', os.O_CREAT | os.O_WRONLY)\n"
    "os.sendfile(o, i, 0, 100)",
    "i = os.open(P, os.O_RDONLY); r, w = os.pipe(); os.splice(i, w, 100)",
    "d = os.open('strategies/peer_gen1', os.O_RDONLY)\n"
    "os.read(os.open('task_agent.py', os.O_RDONLY, dir_fd=d), 9)",
    "d = os.open(P, os.O_PATH); open(f'/proc/self/fd/{d}').read()",
    "exec(compile(open(P).read(), P, 'exec'))",
    "t = threading.Thread(target=lambda: open(P).read()); t.start(); t.join()",
]
LISTS = [
    "ls strategies/peer_gen1",
    "find strategies",
    "du strategies",
    "echo strategies/peer_gen1/*",
]
NOTHING = [
    f"stat {PEER}",
    f"test -e {PEER}",
    f"cat {PEER}x 2>/dev/null || true",
    f"false && cat {PEER} || true",
    f"echo cat {PEER}",
    f"[ -s {PEER} ]",
    "cd strategies/peer_gen1",
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Observed:
    """A modification whose code does one thing after another, each in a step of its own."""

    def __init__(self, running: Running, watch: AccessWatch, log: AccessLog, folder: Path) -> None:
        self.running = running
        self.watch = watch
        self._log = log
        self._folder = folder

    async def python(self, code: str) -> list[ObservedAccess]:
        """Run a program inside; return what was seen of it."""
        paths = {"repo_path": self.running.inside_path, "eval_path": HEAD + code}
        frame = {"op": "modify", "model": "m", **paths, "iterations_left": 1}
        assert await self.running.request(frame, 20.0) == {"ok": True}
        step = self._log.step
        self.watch.begin_step()
        return [record for record in self.all().records if record.step == step]

    async def shell(self, command: str) -> list[ObservedAccess]:
        """Run a command inside; return what was seen of it."""
        run = ["bash", "-c", command]
        return await self.python(f"subprocess.run({run!r}, check=True, stdout=subprocess.DEVNULL)")

    def all(self) -> Accesses:
        return accesses_in(self._folder)


@asynccontextmanager
async def observed(
    sandbox: Sandbox, folder: Path, limits: Limits | None = None
) -> AsyncGenerator[Observed]:
    made = job("modify", meta=META, more=FILES, limits=limits or Limits(wall_s=60.0, cpu_s=40))
    log, notices = AccessLog(folder), list[str]()
    edits = EditLog(folder, int)
    async with sandbox.start(made) as running:
        with closing(AccessWatch(running, made.files, log, notices.append)) as watch:
            async with (
                watch_edits(running.workspace, made.files, edits, read=watch.read),
                watch.observe(),
            ):
                scene = Observed(running, watch, log, folder)
                await scene.python("pass")  # imports
                yield scene
    assert notices == []


def accesses_in(folder: Path) -> Accesses:
    accesses = read_accesses(folder)
    assert accesses is not None
    return accesses


def written(records: list[ObservedAccess]) -> list[ObservedAccess]:
    return [record for record in records if record.kind == "written"]


def paths(records: list[ObservedAccess], kind: str) -> list[str]:
    return [record.path for record in records if record.kind == kind]


@pytest.mark.parametrize("sandbox", EVERY_SANDBOX)
async def test_every_way_to_read_is_seen_and_nothing_else_is_reading(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    async with observed(sandbox, tmp_path) as scene:
        records = await scene.shell(f"cat {WORDS}; echo x >> {WORDS}")
        assert {(record.path, record.kind) for record in records} == {(WORDS, "read")}
        for command in NOTHING:
            assert PEER not in paths(await scene.shell(command), "read"), command
        for command in LISTS:
            records = await scene.shell(command)
            assert "strategies/peer_gen1" in paths(records, "listed"), command
            assert PEER not in paths(records, "read"), command
        for code in PYTHON_READS:
            assert PEER in paths(await scene.python(code), "read"), code
            await scene.shell("rm -rf theirs x copy.py")
        for command in SHELL_READS:
            assert PEER in paths(await scene.shell(command), "read"), command
            await scene.shell("rm -rf theirs copy.py hard.py soft.py all.tar")
        assert scene.all().unobserved == ""


@pytest.mark.parametrize("sandbox", EVERY_SANDBOX)
async def test_written_lines_belong_to_the_step_that_wrote_them(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    async with observed(sandbox, tmp_path) as scene:
        (made,) = written(await scene.shell("printf 'a\\n\\n  b\\na\\n' > new.py"))
        assert (made.path, made.lines) == ("new.py", ("a", "b"))
        (more,) = written(await scene.shell("echo c >> new.py; echo b >> new.py"))
        assert more.lines == ("c",)
        assert written(await scene.shell("cat new.py")) == []
        assert written(await scene.shell("rm new.py")) == []
        (again,) = written(await scene.shell("echo c > new.py"))
        assert again.lines == ("c",)
        (kept,) = written(await scene.shell("echo second >> notes.md"))
        assert kept.lines == ("second",), "not what was materialized"
        assert (
            written(await scene.shell(f"echo x >> {PEER}; echo x > evals/x; echo > agent/x")) == []
        )


@pytest.mark.parametrize("sandbox", EVERY_SANDBOX)
async def test_what_lies_in_between_is_seen_when_it_is_written_and_when_it_is_read(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    async with observed(sandbox, tmp_path) as scene:
        copied = await scene.shell(
            f"mkdir deep; sleep 0.1; mkdir deep/er; sleep 0.1; cp {PEER} deep/er/x"
        )
        (made,) = written(copied)
        assert (made.path, made.lines) == ("deep/er/x", ("RED = 1", "BLUE = 2"))
        (read,) = (record for record in copied if record.path == PEER)
        assert read.first < made.last
        assert "deep/er/x" in paths(await scene.shell("cat deep/er/x > /dev/null"), "read")
        await scene.shell("mv deep deeper; sleep 0.1")
        assert "deeper/er/x" in paths(await scene.shell("cat deeper/er/x"), "read")
        assert "strategies/mine" in paths(
            await scene.shell("cp task_agent.py strategies/mine; cat strategies/mine"), "read"
        )


@pytest.mark.parametrize("sandbox", BOUNDARIES)
async def test_the_private_folder_for_temporary_files_is_seen_too(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    async with observed(sandbox, tmp_path) as scene:
        (made,) = written(await scene.shell("echo carried > /tmp/x.py"))
        assert (made.path, made.lines) == ("/tmp/x.py", ("carried",))
        records = await scene.shell("cp /tmp/x.py task_agent.py")
        assert paths(records, "read") == ["/tmp/x.py"]
        assert paths(records, "written") == ["task_agent.py"]


async def test_outside_of_a_boundary_other_peoples_temporary_files_are_not_watched(
    tmp_path: Path,
) -> None:
    async with observed(ProcessSandbox(), tmp_path) as scene:
        assert written(await scene.shell(f"echo x > {tmp_path}/x; echo y > $TMPDIR/y")) == []


async def test_what_the_host_reads_is_no_access(tmp_path: Path) -> None:
    async with observed(ProcessSandbox(), tmp_path) as scene:
        for _ in range(2):
            # Slower than the debounce of who watches edits, and so read by it and by us.
            records = await scene.shell(f"echo x >> notes.md; touch {PAST}; sleep 0.2")
            assert paths(records, "read") == [PAST], "touch opens what it touches"
            records = await scene.shell("echo y >> notes.md; chmod 600 strategies/*/*; sleep 0.2")
            assert paths(records, "read") == []
        records = await scene.shell("echo z >> notes.md; sleep 0.2; cat notes.md")
        assert paths(records, "read") == ["notes.md"]


# In boundaries alone: what deletes all that it can reach must not reach this machine.
@pytest.mark.parametrize("sandbox", BOUNDARIES)
async def test_whatever_code_does_to_its_folders_the_file_stays_whole(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    assert sandbox.is_boundary
    async with observed(sandbox, tmp_path) as scene:
        odd = await scene.python(
            "open('a\\n{\"unobserved\": \"x\"}', 'w').write('n\\u2028\\0')\n"
            "open(os.fsdecode(b'\\xff'), 'wb').write(b'\\xff')\n"
            "os.mkfifo('fifo'); os.symlink('/', 'root'); os.symlink('root/etc', 'etc')\n"
            "open('huge', 'w').write('line\\n' * 1_000_000)\n"
            "os.mkdir('m'); os.symlink('/etc', 'm/etc'); os.rename('m', 'n')"
        )
        lines = {record.path: record.lines for record in written(odd)}
        assert lines["\\udcff"] == lines["huge"] == lines["fifo"] == ()
        assert lines['a\\n{"unobserved": "x"}'] == ("n", "\0")
        assert not [path for path in lines if path.startswith(("root/", "etc/", "n/etc/"))]
        await scene.shell(
            "mv strategies old; mkdir strategies; mv evals strategies; rm -rf old/peer_gen1/m*;"
            "chmod 0 strategies; chmod 700 strategies; rm -rf n fifo huge; sleep 0.05"
        )
        records = await scene.shell("cat old/peer_gen1/task_agent.py strategies/evals/gen_1/t*")
        assert {PEER, PAST} <= set(paths(records, "read"))
        assert scene.all().unobserved == ""
        await scene.python("for n in range(300): os.mkdir(f'f{n}')\ntime.sleep(0.1)")
        assert scene.all().unobserved == "there were more than 256 new folders at one time"
        await scene.shell("find /workspace /tmp -mindepth 1 -delete 2>/dev/null || true")


async def test_a_second_try_goes_on_in_steps_and_events(tmp_path: Path) -> None:
    log = AccessLog(tmp_path)
    for _ in range(2):
        made = job("modify", meta=META, more=FILES)
        async with ProcessSandbox().start(made) as running:
            with closing(AccessWatch(running, made.files, log, print)) as watch:
                async with watch.observe():
                    scene = Observed(running, watch, log, tmp_path)
                    await scene.shell(f"cat {PEER}")
                    os.close(await running.finish())
                watch.end_step()
    first, second = (record for record in accesses_in(tmp_path).records if record.path == PEER)
    assert (first.step, second.step) == (0, 1)
    assert first.last < second.first


async def test_before_it_begins_nothing_is_seen_and_the_host_can_read(tmp_path: Path) -> None:
    made = job("modify", meta=META, more=FILES)
    async with ProcessSandbox().start(made) as running:
        with closing(AccessWatch(running, made.files, AccessLog(tmp_path), print)) as watch:
            watch.end_step()
            root = os.open(running.workspace, os.O_RDONLY)
            assert watch.read(root, "notes.md", 100) == FILES["notes.md"]
            os.close(root)
    assert read_accesses(tmp_path) is None


def test_a_file_has_bounds_and_says_when_one_is_reached(tmp_path: Path) -> None:
    log = AccessLog(tmp_path)
    long = ObservedAccess(0, "x", "written", 1, 1, 1, ("y" * 400_000,))
    log.append([long, long])
    assert accesses_in(tmp_path).unobserved == ""
    log.append([long])
    assert accesses_in(tmp_path).unobserved == "more than 1048576 bytes of lines were written"
    assert [len(record.lines) for record in accesses_in(tmp_path).records] == [1, 1, 0]
    log.append([ObservedAccess(1, "x", "read", 1, 1, 1)] * 30_000)
    assert len(accesses_in(tmp_path).records) == 20_000
    log.append([ObservedAccess(2, "x", "read", 1, 1, 1)])
    assert len(accesses_in(tmp_path).records) == 20_000


def test_a_damaged_line_is_one_that_is_missing(tmp_path: Path) -> None:
    log = AccessLog(tmp_path)
    log.append([ObservedAccess(0, "x", "read", 1, 1, 1)])
    with (tmp_path / ACCESSES).open("ab") as file:
        file.write(b'{"step":1,"pa')
    accesses = accesses_in(tmp_path)
    assert [record.path for record in accesses.records] == ["x"]
    assert accesses.unobserved == "a line of accesses.jsonl is damaged"
