"""Six processes, each with less than one may have: together they take twice what all may have."""

from guards.sandboxes.sandbox import Limits, Sandbox
from tests.support.sandboxes import job, task_agent

BALLOONS = """
import os, time
ends, pids = [], []
for n in range(6):
    ours, theirs = os.pipe()
    ends.append(ours)
    pids.append(os.fork())
    if not pids[-1]:
        held = bytearray(os.urandom(4096)) * (25 * 1024)
        os.write(theirs, b'x')
        time.sleep(60)
    os.close(theirs)
full = [bool(os.read(end, 1)) for end in ends]
time.sleep(0.3)  # whoever was ended for the next one's sake is gone by now
alive = [os.waitpid(pid, os.WNOHANG)[0] == 0 for pid in pids]
return str(sum(map(all, zip(full, alive)))), []
"""
LIMITS = Limits(wall_s=30.0, memory_bytes=300 * 1024**2, disk_bytes=2 * 1024**2)
ASK = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}


async def inflated(sandbox: Sandbox) -> str:
    """How many of them hold all that they asked for, at one time."""
    async with sandbox.start(job(task=task_agent(BALLOONS), limits=LIMITS)) as running:
        return (await running.request(ASK, 20.0))["prediction"]
