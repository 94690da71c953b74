"""Plays the three conditions: `python -m replication.policy --iterations 30 --seeds 5`.

Writes into a folder: study.json (what was asked for), raw_metrics.csv, agents.jsonl, and with
matplotlib learning_curves.png and meta_policy_drift.png. A study takes about a second, so one that
was killed is not resumed: the same command makes the same bytes again.
Exit codes: 0 done, 1 failed or without figures, 2 used wrongly.
"""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.kernel.files import pretty_json, write_atomically
from hyperspace.options.values import positive, run_seed
from hyperspace.reporting.command_line import Parser, program
from hyperspace.reporting.output import check_targets, write_images
from hyperspace.tasks.repo_quality.domain import DEFAULT_ROWS_SEED
from hyperspace.tasks.repository_rows import generate
from replication.policy.conditions import ITERATIONS, published_seeds
from replication.policy.study import (
    agents_jsonl,
    metrics_csv,
    play_study,
    study_figures,
    summary_lines,
)

MOST_ITERATIONS: Final = 10_000
_MADE: Final = ("raw_metrics.csv", "agents.jsonl")
_ASKED: Final = "study.json"


def main(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    args = _parser().parse_args(arguments)
    try:
        _play(args)
    except RunError as error:
        print(f"{program()}: {error}", file=sys.stderr)
        return 2 if isinstance(error, RunUsageError) else 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog=program(), description=__doc__)
    add = parser.add_argument
    many, seeds = partial(positive, most=MOST_ITERATIONS), partial(positive, most=1000)
    add("--iterations", type=many, default=ITERATIONS, metavar="N", help="default: %(default)s")
    add("--seeds", type=seeds, default=5, metavar="N", help="how many: 7, 20, 33, ... (default: 5)")
    add("--rows-seed", type=run_seed, default=DEFAULT_ROWS_SEED, metavar="R", help="default: 1")
    default = Path("results/repo_policy/policy")
    add("--out", type=Path, default=default, metavar="DIR", help="default: %(default)s")
    return parser


def _play(args: argparse.Namespace) -> None:
    """Write the study of a command line.

    Raises:
        RunUsageError: The folder holds something else.
        LibraryMissing: Without matplotlib there are no figures; all else is written.
    """
    seeds = published_seeds(args.seeds)
    asked = {"iterations": args.iterations, "seeds": seeds, "rows_seed": args.rows_seed}
    _claim(args.out, pretty_json(asked))
    study = play_study(generate(args.rows_seed), seeds, args.iterations)
    for name, data in zip(_MADE, (metrics_csv(study), agents_jsonl(study)), strict=True):
        write_atomically(args.out / name, data)
    print("\n".join(summary_lines(study)))
    write_images(args.out, study_figures(study))


def _claim(folder: Path, asked: bytes) -> None:
    """Refuse a folder that holds something else, and clear what a killed command left half.

    Raises:
        RunUsageError: It does.
    """
    check_targets(None, folder)
    record = folder / _ASKED
    if record.is_file():
        if record.read_bytes() != asked:
            raise RunUsageError(
                f"{folder} holds a study with other --iterations, --seeds or --rows-seed "
                f"({_ASKED} there says which); name another --out"
            )
    elif folder.is_dir() and any(not _is_half(path) for path in folder.iterdir()):
        raise RunUsageError(f"{folder} holds something else; name another --out")
    if folder.is_dir():
        for path in filter(_is_half, list(folder.iterdir())):
            path.unlink()
    write_atomically(record, asked)


def _is_half(path: Path) -> bool:
    """True for a file of ours that was not yet renamed (`kernel.files.write_atomically`)."""
    return path.name.startswith(".") and path.suffix == ".tmp"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
