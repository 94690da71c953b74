"""What a step of an episode costs, all in: the host, the pipe, and the agent in its sandbox.

    python -m benchmarks.episodes.steps [DOMAIN]

plays the seed on the validation games, three times, and prints CPU seconds.
"""

import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import anyio

from guards.sandboxes.choose import choose
from hyperspace.cli.counted_sandbox import CountedSandbox
from hyperspace.cli.seed_play import seed_evaluation
from hyperspace.kernel.evaluation.evaluate import evaluate_split
from hyperspace.tasks.base import Domain
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.outcome import decode_outcome
from hyperspace.tracing.traces import Recorder

TIMES = 3


async def play(domain: Domain) -> float:
    """Play the validation games; return microseconds of CPU for each step."""
    sandbox = CountedSandbox(choose("auto", needs_boundary=True).sandbox)
    with TemporaryDirectory() as folder, Recorder(Path(folder) / "trace.jsonl") as recorder:
        evaluation = seed_evaluation(domain, sandbox, Path(folder), recorder)
        before = time.process_time()
        result = await evaluate_split(evaluation.evaluator(), "val")
        host_s = time.process_time() - before
    outcomes = [decode_outcome(text) for text in result.predictions.values()]
    steps = sum(int(outcome.details["steps"]) for outcome in outcomes)
    each_us = (host_s + sandbox.cpu_s()) / steps * 1e6
    print(
        f"{len(outcomes)} games, {steps} steps: host {host_s:.3f} s, sandboxes "
        f"{sandbox.cpu_s():.3f} s of CPU, {each_us:.0f} us a step"
    )
    return each_us


def main() -> None:
    """Play and print."""
    domain = load(sys.argv[1] if len(sys.argv) > 1 else "snake")
    print(f"median {median(anyio.run(play, domain) for _ in range(TIMES)):.0f} us a step")


if __name__ == "__main__":
    main()
