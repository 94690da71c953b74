"""The whole analysis of a published-size set of runs: 20 pairs, 40 agents, 1280 generations.

The corpus is made of the standard library's own lines, with the sizes of the published texts (27 MB
in all, the largest 134 kB), in published folders without traces, as git-lfs leaves them.
"""

import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.measure import Row, show
from benchmarks.similarity import edited, library, lines_from
from hyperspace.runs.finding import read_runs
from transfer_experiment.analysis import detect
from transfer_experiment.similarity.moves import Moves
from transfer_experiment.similarity.rare_runs import rare_runs
from transfer_experiment.survey import survey

RUNS: Final = 20
GENERATIONS: Final = 32
POINTER: Final = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
# Largest size of an agent's code, by agent: half of them stay small, four grow to 134 kB.
CAPS: Final = tuple([8_000] * 12 + [16_000] * 12 + [30_000] * 8 + [60_000] * 4 + [134_000] * 4)


def main() -> None:
    """Make the runs, analyse them as `hyperspace analyze` does, show; detectors also alone."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        size = write_runs(base, random.Random(7))
        rare_runs.cache_clear()
        moves = Moves()
        judged_s = _seconds(lambda: survey(base, moves=moves))
        habits_s = _seconds(lambda: [detect(run) for run in read_runs(base)])
        started = time.process_time()
        totals = survey(base, moves=moves).totals
        again_s = time.process_time() - started
    rows = [
        _row("reading, both rules, every detector", judged_s, judged_s),
        _row("the same again in one process", again_s, judged_s),
        _row("reading and the detectors alone", habits_s, judged_s),
    ]
    show(f"Analysis of {totals.generations} generations, {size / 1e6:.0f} MB of code (CPU)", rows)
    print(f"  {totals.adoptions}")


def _row(name: str, seconds: float, first_s: float) -> Row:
    return Row(name, seconds * 1000, seconds * 1000, seconds / first_s)


def write_runs(base: Path, rng: random.Random) -> int:
    """Write published runs; returns the bytes of code in them."""
    stock = library()
    caps = rng.sample(CAPS, len(CAPS))
    return sum(
        _write_run(base / f"a{run}_vs_b{run}" / "seed42", rng, stock, caps[2 * run : 2 * run + 2])
        for run in range(RUNS)
    )


def _write_run(root: Path, rng: random.Random, stock: list[str], caps: list[int]) -> int:
    number = root.parent.name.rpartition("b")[2]
    seed = lines_from(rng, stock, 60)
    codes = [list(seed), list(seed)]
    size = 0
    for generation in range(GENERATIONS):
        before = [list(code) for code in codes]
        for turn, name in enumerate((f"a{number}", f"b{number}")):
            if generation:
                if rng.random() < 0.08:
                    codes[turn] = list(before[1 - turn])
                edited(rng, stock, codes[turn], caps[turn] // 8000 + 1, caps[turn])
            size += _write_turn(root / name, generation, "".join(codes[turn]), rng)
            (root / name / "summary.json").write_text("{}")
    return size


def _write_turn(agent: Path, generation: int, code: str, rng: random.Random) -> int:
    folder = agent / f"gen_{generation}"
    (folder / "repo").mkdir(parents=True)
    (folder / "repo" / "task_agent.py").write_text(code)
    (folder / "repo" / "meta_agent.py").write_text("def modify():\n    pass\n")
    (folder / "llm_calls.jsonl").write_text(POINTER)
    scores = {"valid": True, "val_score": round(rng.random(), 2)}
    (folder / "metadata.json").write_text(json.dumps(scores))
    return len(code)


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
