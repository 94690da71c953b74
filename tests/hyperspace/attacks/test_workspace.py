"""Workspaces that are still being changed, that are full, and that hold what is no code."""

import os

import pytest

from guards.sandboxes.sandbox import Limits, Sandbox
from guards.scope.edit_scope import EditScope
from guards.scope.ingest import Ingest, ingest
from tests.support.sandboxes import BOUNDARIES, LIMITS, job, meta_agent, modify

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("sandbox", BOUNDARIES)]
SCOPE = EditScope(("task_agent.py", "meta_agent.py"))


async def after(sandbox: Sandbox, attack: str, limits: Limits) -> Ingest:
    started = job("modify", meta=meta_agent(attack), limits=limits)
    async with sandbox.start(started) as running:
        assert await running.request(modify(running.inside_path), 20.0) == {"ok": True}
        folder = await running.finish()
    try:
        return ingest(folder, started.files, SCOPE)
    finally:
        os.close(folder)


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("os.symlink('nowhere', 'link')", ("link", "link")),
        ("import socket\nsocket.socket(socket.AF_UNIX).bind('s')", ("s", "special")),
        ("os.mkdir('empty')", ("empty", "new")),
    ],
)
async def test_what_is_no_code_is_put_back(
    sandbox: Sandbox, code: str, left: tuple[str, str]
) -> None:
    result = await after(sandbox, code, LIMITS)
    assert [(change.path, change.kind) for change in result.changes] == [left]
    assert result.changes[0].verdict == "reverted"


async def test_the_host_reads_one_state_although_it_was_being_swapped(sandbox: Sandbox) -> None:
    swap = (
        "import subprocess\n"
        "subprocess.Popen(['sh', '-c', 'while :; do ln -sf /etc/shadow task_agent.py; "
        "rm task_agent.py; echo fine > task_agent.py; done'])\n"
        "import time\ntime.sleep(.1)"
    )
    first = await after(sandbox, swap, LIMITS)
    for change in first.changes:
        # `ln -sf` makes its link under another name first, and may be killed right there.
        assert change.kind == "link" or (change.path, change.kind) in {
            ("task_agent.py", "deleted"),
            ("task_agent.py", "changed"),
        }
        assert change.kind != "link" or change.verdict == "reverted"
    assert b"root:" not in first.files.get("task_agent.py", b"")


async def test_a_full_disk_is_the_agents_own_trouble(sandbox: Sandbox) -> None:
    fill = "with open('full', 'wb') as f:\n    while True: f.write(bytes(1 << 20))"
    limits = Limits(disk_bytes=4 * 1024**2)
    started = job("modify", meta=meta_agent(fill), limits=limits)
    async with sandbox.start(started) as running:
        reply = await running.request(modify(running.inside_path), 20.0)
        folder = await running.finish()
    result = ingest(folder, started.files, SCOPE)
    os.close(folder)
    assert "OSError" in reply["error"]
    assert [(c.path, c.kind) for c in result.changes] == [("full", "oversized")]


HIDES = """
import fcntl, struct
handle, done = os.open('task_agent.py', os.O_RDONLY), []
for name in ('user.state', 'trusted.state', 'security.state'):
    try: os.setxattr(handle, name, b'kept'); done.append(name)
    except OSError: pass
for flag in (0x10, 0x20, 0x40):  # immutable, append only, not dumped
    try: fcntl.ioctl(handle, 0x40086602, struct.pack('l', flag)); done.append(flag)
    except OSError: pass
assert not {'trusted.state', 'security.state', 0x10, 0x20} & set(done), done
open('task_agent.py', 'a').write('# more')
"""


async def test_attributes_and_flags_of_files_carry_nothing_over(sandbox: Sandbox) -> None:
    taken = await after(sandbox, HIDES, LIMITS)
    assert [(change.path, change.verdict) for change in taken.changes] == [
        ("task_agent.py", "accepted")
    ]
    look = "for n in ('task_agent.py', 'meta_agent.py', '.'): assert os.listxattr(n) == []"
    started = job("modify", task=taken.files["task_agent.py"].decode(), meta=meta_agent(look))
    async with sandbox.start(started) as running:
        assert await running.request(modify(running.inside_path), 20.0) == {"ok": True}
