"""Cost of a candidate before it is evaluated: a sandbox, cold or warm, and its gates."""

import subprocess
import sys
from asyncio import Runner
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial

from benchmarks import flatness
from benchmarks.candidate import Candidate
from benchmarks.counted import counted
from benchmarks.measure import compare, own_cpu_s, show
from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox, probe
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox, why_cold
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Sandbox

REPEATS = 20


def main() -> None:
    """Compare a bare interpreter with each sandbox that works here, then many in a row."""
    with counted() as cpu_s, Runner() as loop, closing(WarmBubblewrapSandbox()) as warm:
        if cpu_s is None:
            print("no control group of our own here: CPU time misses what runs inside")
        operations: dict[str, Callable[[], object]] = {"python -I -S -c pass": _bare}
        for name, sandbox in _sandboxes(warm).items():
            operations[f"{name}: start, gates, end"] = partial(_run, loop, Candidate(), sandbox)
        rows = compare(operations, REPEATS, cpu_s or own_cpu_s)
        show(f"One candidate ({REPEATS} repetitions)", rows)
    flatness.main(flatness.SOME)


def _sandboxes(warm: WarmBubblewrapSandbox) -> Mapping[str, Sandbox]:
    sandboxes: dict[str, Sandbox] = {"process": ProcessSandbox()}
    if (why := probe()) is not None:
        print(f"no bubblewrap: {why}")
        return sandboxes
    if (why := why_cold()) is not None:
        print(f"no warm path, so that both are cold: {why}")
    return {**sandboxes, "bubblewrap cold": BubblewrapSandbox(), "bubblewrap warm": warm}


def _run(loop: Runner, candidate: Candidate, sandbox: Sandbox) -> None:
    loop.run(candidate.gate(sandbox))


def _bare() -> None:
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
