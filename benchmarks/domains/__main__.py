"""Print what each domain's seed is worth, and what offline policies make of it.

    python -m benchmarks.domains [NAME ...] [--seeds 3] [--generations N] [--parallel N]
        --results DIR

For each seed s from 1 on it plays the policies of the domain's plan (`benchmarks.domains.plans`) by
`hyperspace solo` or `pair` in sandboxes, with run seed s on `rows_seed=s`; `--results` keeps the
runs, and the same command goes on with those that are there. Scores are means over the seeds; what
validation prefers is scored on the sealed test split. CPU seconds are those of the seed's gates,
train and validation.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.domains.measuring import CannotRun, Scores, measure_seed, tune
from benchmarks.domains.plans import PLANS, UNTUNED
from hyperspace.cli.domain_listing import failure_text
from hyperspace.tasks.base import SPLITS, DomainError
from hyperspace.tasks.registry import entries

_HEADINGS: Final = (
    "domain",
    "seed train / val / test",
    "CPU s",
    "offline train / val / test",
    "policy",
    "generations, chosen ones",
    "best known",
)


def row(name: str, seeds: int, generations: int | None, results: Path) -> tuple[str, ...]:
    """Return the cells of a domain; of one that cannot run here, its name and the reason."""
    numbers = range(1, seeds + 1)
    try:
        measured = measure_seed(name, numbers)
    except (CannotRun, DomainError) as error:
        why = (f"not tuned: {UNTUNED[name]}",) if name in UNTUNED else ()
        return name, f"cannot run here: {failure_text(error)}", *why
    cells = (name, _text(measured.scores), f"{measured.cpu_s:.2f}")
    plan = PLANS.get(name)
    if plan is None:
        return *cells, f"not tuned: {UNTUNED.get(name, 'a plug-in, without a plan')}"
    count = plan.generations if generations is None else generations
    policy = " + ".join(plan.models)
    try:
        tuned = tune(name, plan, numbers, count, results)
    except CannotRun as error:
        return *cells, f"not tuned: {error}", policy, str(count), plan.known
    chosen = ", ".join(map(str, tuned.best_generations))
    return *cells, _text(tuned.scores), policy, f"{count}: {chosen}", plan.known


def _text(scores: Scores) -> str:
    return " / ".join(f"{scores[split]:.3f}" for split in SPLITS)


def main(arguments: Sequence[str]) -> int:
    """Print the table, a row as soon as it is known; 2 for a name that does not exist."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.domains",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="domains (default: all)")
    parser.add_argument("--seeds", type=int, default=3, help="1 to this one")
    parser.add_argument("--generations", type=int, help="in place of those of the plans")
    parser.add_argument("--parallel", type=int, default=1, help="domains at a time (default: 1)")
    parser.add_argument("--results", type=Path, required=True, help="folder of the runs")
    options = parser.parse_args(arguments)
    if options.parallel < 1:
        parser.error("--parallel: at least 1")
    unknown = sorted({*options.names} - {*entries()})
    if unknown:
        exist = ", ".join(sorted(entries()))
        print(f"no domain {', '.join(unknown)}; there are {exist}", file=sys.stderr)
        return 2
    print(f"| {' | '.join(_HEADINGS)} |")
    print("|" + "---|" * len(_HEADINGS))
    cells_of = partial(
        row, seeds=options.seeds, generations=options.generations, results=options.results
    )
    # Processes, as the CPU time of a seed is that of all children of the process that plays it.
    with ProcessPoolExecutor(options.parallel) as pool:
        for cells in pool.map(cells_of, options.names or sorted(entries())):
            print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
