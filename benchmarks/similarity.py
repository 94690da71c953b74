"""Finding moves towards a peer: ours beside plain difflib, on a corpus of the published size.

Difflib would take minutes for all, so it gets a sample of the steps; both are timed on that sample
in turns, and ours on the whole corpus too.
"""

import random
import time
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Row, show
from transfer_experiment.similarity.moves import THRESHOLD, CodeMove, move_below
from transfer_experiment.similarity.rare_runs import rare_runs

AGENTS = 40
GENERATIONS = 32  # 1280 texts, and a seed for each agent
LARGEST_BYTES = 134_000
SAMPLE = 24


class Step(NamedTuple):
    """What one agent wrote, what it had before, and the peer's code that it saw."""

    text: str
    own: str
    peer: str


def main() -> None:
    """Compare and show."""
    rng = random.Random(11)
    steps = corpus(rng)
    sample = rng.sample(steps, SAMPLE)
    plain_s, ours_s = _seconds(sample, plain), _seconds(sample, ours)
    all_s = _seconds(steps, ours)
    moves = sum(ours(step) is not None for step in steps)
    largest = max(len(step.text) for step in steps)
    rows = [
        Row(f"difflib, {SAMPLE} steps", plain_s * 1000, plain_s * 1000, 1.0),
        Row(f"ours, the same {SAMPLE} steps", ours_s * 1000, ours_s * 1000, ours_s / plain_s),
        Row(f"ours, all {len(steps)} steps", all_s * 1000, all_s * 1000, all_s / plain_s),
    ]
    show(f"Moves towards a peer, texts to {largest // 1000} kB, {moves} found (CPU time)", rows)
    print(f"  {plain_s / ours_s:.0f} times faster than difflib on the same steps")


def corpus(rng: random.Random) -> list[Step]:
    """Lineages that grow, half of the peers being of the same family and half of another."""
    stock = library()
    seeds = [lines_from(rng, stock, 60) for _ in range(AGENTS // 2)]
    pace = [rng.choice((1, 2, 4, 10)) for _ in range(AGENTS)]
    codes = [list(seeds[agent // 2]) for agent in range(AGENTS)]
    steps: list[Step] = []
    for _ in range(GENERATIONS):
        before = ["".join(code) for code in codes]
        for agent, code in enumerate(codes):
            akin = rng.random() < 0.5
            peer = agent ^ 1 if akin else (agent + 2) % AGENTS
            if rng.random() < 0.1:
                code[:] = before[peer].splitlines(keepends=True)
            edited(rng, stock, code, pace[agent], LARGEST_BYTES)
            steps.append(Step("".join(code), before[agent], before[peer]))
    return steps


def edited(
    rng: random.Random, stock: list[str], code: list[str], pace: int, most_bytes: int
) -> None:
    """Edit a program's lines in place: a few parts go, others come in."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(code))
        if rng.random() < 0.3:
            del code[start : start + rng.randint(1, 10)]
        code[start:start] = lines_from(rng, stock, pace * rng.randint(1, 10))
    while sum(map(len, code)) > most_bytes:
        del code[: len(code) // 10]


def library() -> list[str]:
    """Lines of programs that people wrote: the standard library's own."""
    files = sorted(Path(random.__file__).parent.glob("*.py"))
    return [
        line
        for file in files
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    ]


def lines_from(rng: random.Random, stock: list[str], count: int) -> list[str]:
    """Take lines that follow each other."""
    start = rng.randrange(len(stock) - count)
    return stock[start : start + count]


def plain(step: Step) -> CodeMove | None:
    """The published rule with difflib."""
    d_own = 1.0 - SequenceMatcher(None, step.text, step.own).ratio()
    d_peer = 1.0 - SequenceMatcher(None, step.text, step.peer).ratio()
    total = d_own + d_peer
    measured = CodeMove(d_peer / total, d_own, d_peer) if total else None
    return measured if measured is not None and measured.ratio < THRESHOLD else None


def ours(step: Step) -> CodeMove | None:
    """The same, exactly."""
    return move_below(*step)


def _seconds(steps: list[Step], judge: Callable[[Step], CodeMove | None]) -> float:
    rare_runs.cache_clear()
    started = time.process_time()
    for step in steps:
        judge(step)
    return time.process_time() - started
