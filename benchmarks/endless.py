"""Cost of late generations of a long run beside early ones, and of taking the run up.

Two runs of one agent on the least task, with a model that answers at once: one is played in warm
sandboxes, the other is made up (`benchmarks.made_run`) and so can be long. `python -m benchmarks
endless` takes minutes; the long form is

    python -m benchmarks.endless --played 10000 --made 10000
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.counted import counted
from benchmarks.long_run import Sample, read_samples
from guards.sandboxes.bubblewrap.bubblewrap import probe

PLAYED, MADE = 150, 2000
EARLY = 100
WINDOW = 50  # generations on each side of an early one, and twice as many at the end


class Cost(NamedTuple):
    """Cost of a generation: medians over a window.

    Attributes:
        cpu_ms: CPU time of the program, without that of sandboxes.
        written_kb: What it hands to the kernel to write, in 1000 bytes.
        rss_mib: Its resident memory at the end of the window.
    """

    cpu_ms: float
    written_kb: float
    rss_mib: float


def main(played: int = PLAYED, made: int = MADE, folder: Path | None = None) -> None:
    """Measure both runs."""
    if (why := probe()) is not None:
        print(f"no bubblewrap: {why}")
        return
    with tempfile.TemporaryDirectory(dir=folder) as runs:
        with counted() as cpu_s:
            before = 0.0 if cpu_s is None else cpu_s()
            samples = _play("long_run", Path(runs, "played"), played)
            total = None if cpu_s is None else (cpu_s() - before) / len(samples)
        _show(f"{played} generations, played in warm sandboxes", samples)
        if total is not None:
            print(
                f"  mean with sandboxes, start of the program included: {total * 1000:.1f} ms CPU"
            )
        _show(f"{made} generations, made up", _play("made_run", Path(runs, "made"), made))
        _show_start(made, Path(runs, "made"))


def _play(module: str, run: Path, last: int) -> list[Sample]:
    """Let a process of its own play up to a generation; it ends as by a power cut."""
    log = run.with_name(f"{run.name}.log")
    command = [sys.executable, "-m", f"benchmarks.{module}", str(run), str(log), str(last)]
    done = subprocess.run(command, check=False, env=_installed(run))
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(f"{command} ended with {done.returncode}")
    return read_samples(log)


def _installed(run: Path) -> dict[str, str]:
    """An environment in which Python keeps bytecode, as that of an installed program is kept."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(run.with_name("bytecode"))}


def _show(title: str, samples: Sequence[Sample]) -> None:
    begin = max(1, EARLY - WINDOW)
    early, late = _cost(samples[begin : begin + 2 * WINDOW]), _cost(samples[-2 * WINDOW :])
    print(f"\n{title}")
    for name, cost in ((f"about {EARLY}", early), ("the last", late)):
        print(
            f"  {name:<10} {cost.cpu_ms:7.1f} ms CPU {cost.written_kb:8.1f} kB written "
            f"{cost.rss_mib:7.1f} MiB resident"
        )
    ratios = {"cpu": late.cpu_ms / early.cpu_ms, "written": late.written_kb / early.written_kb}
    print("  " + ", ".join(f"{name} x{ratio:.2f}" for name, ratio in ratios.items()))
    print(json.dumps({"title": title, "early": early, "late": late, "ratios": ratios}))


def _cost(samples: Sequence[Sample]) -> Cost:
    pairs = list(pairwise(samples))
    return Cost(
        statistics.median(b.cpu_s - a.cpu_s for a, b in pairs) * 1000,
        statistics.median(b.written - a.written for a, b in pairs) / 1000,
        samples[-1].rss_kib / 1024,
    )


def _show_start(last: int, run: Path) -> None:
    """Time from the start of a process to its first step, on a run that was killed."""
    log = run.with_name("start.log")
    started = time.monotonic()
    command = [sys.executable, "-m", "benchmarks.made_run", str(run), str(log), str(last + 1)]
    subprocess.run(command, check=False, env=_installed(run))
    first = read_samples(log)[0]
    title = f"taken up at generation {last}: from the start of the process to the first step"
    print(f"\n{title}\n  {first.at_s - started:.2f} s, {first.cpu_s:.2f} s CPU")
    print(json.dumps({"title": title, "wall_s": first.at_s - started, "cpu_s": first.cpu_s}))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--played", type=_enough, default=PLAYED, help="generations to play")
    parser.add_argument("--made", type=_enough, default=MADE, help="generations to make up")
    parser.add_argument(
        "--folder", type=Path, default=os.environ.get("TMPDIR"), help="for the runs"
    )
    return parser


def _enough(text: str) -> int:
    if (generations := int(text)) < EARLY + WINDOW:
        raise argparse.ArgumentTypeError(f"{text} are too few: {EARLY + WINDOW} are needed")
    return generations


if __name__ == "__main__":
    main(**vars(_parser().parse_args()))
