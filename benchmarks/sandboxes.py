"""What a candidate costs before it is evaluated: a cold sandbox and its gates."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial

import anyio

from agents.seed_code import runtime_files, seed_files
from benchmarks.measure import compare, show
from domains.registry import load
from guards.bubblewrap import BubblewrapSandbox, probe
from guards.gates import run_gates
from guards.process import ProcessSandbox
from guards.sandbox import Job, Sandbox

REPEATS = 20


def main() -> None:
    """Compare a bare interpreter with each sandbox that works here."""
    operations: dict[str, Callable[[], object]] = {"python -I -S -c pass": _bare}
    sandboxes: list[Sandbox] = [ProcessSandbox()]
    if (why := probe()) is None:
        sandboxes.append(BubblewrapSandbox())
    else:
        print(f"no bubblewrap: {why}")
    for sandbox in sandboxes:
        operations[f"{sandbox.name}: start, gates, end"] = partial(_candidate, sandbox)
    show(f"One candidate, cold ({REPEATS} repetitions)", compare(operations, REPEATS))


def _bare() -> None:
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)


def _candidate(sandbox: Sandbox) -> None:
    anyio.run(_gate, sandbox)


async def _gate(sandbox: Sandbox) -> None:
    domain = load("repo_quality")
    files = {**seed_files(), **runtime_files(), **domain.seed_files()}
    async with sandbox.start(Job("worker", files)) as running:
        result = await run_gates(running, domain.smoke_item().inputs, "none", 30.0)
    if not result.passed:
        raise RuntimeError(f"the seed failed a gate: {result}")
