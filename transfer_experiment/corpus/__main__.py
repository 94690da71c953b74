"""`python -m transfer_experiment.corpus build DIR` and `... score DIR`.

Exit codes: 0 done, 1 a run failed, 2 used wrongly.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import get_args

import msgspec

from evolution.errors import RunUsageError
from evolution.files import in_the_way
from reporting.command_line import Parser
from transfer_experiment.corpus.development import development
from transfer_experiment.corpus.held_out import held_out
from transfer_experiment.corpus.plan import Half, PlannedRun, mini

PLANS: Mapping[Half, Callable[[], tuple[PlannedRun, ...]]] = {
    "development": development,
    "held-out": held_out,
    "mini": mini,
}


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        return _COMMANDS[args.command](args)
    except KeyboardInterrupt:
        print("corpus: stopped; the same command goes on where it was", file=sys.stderr)
        return 1
    except RunUsageError as error:
        print(f"corpus: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m transfer_experiment.corpus")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="play the runs; what is finished is not played again")
    score = commands.add_parser("score", help="print precision and recall of the detectors")
    for command in (build, score):
        command.add_argument("corpus", type=Path, metavar="DIR", help="folder of the corpus")
        command.add_argument(
            "--half",
            choices=[*get_args(Half), "all"],
            default="all",
            help="all (default) is development and held-out",
        )
    cores = os.cpu_count() or 1
    build.add_argument(
        "--workers", type=int, default=cores, metavar="N", help="runs at once (default: cores)"
    )
    score.add_argument("--json", action="store_true", help="print one JSON object a half")
    score.add_argument("--mistakes", action="store_true", help="also name every mistake")
    return parser


def _halves(args: argparse.Namespace) -> tuple[Half, ...]:
    return ("development", "held-out") if args.half == "all" else (args.half,)


def _build(args: argparse.Namespace) -> int:
    from transfer_experiment.corpus.build import Played, build

    if blocking := in_the_way(args.corpus):
        raise RunUsageError(f"{args.corpus}: {blocking} is no folder; name another DIR")
    runs = [run for half in _halves(args) for run in PLANS[half]()]
    started = time.monotonic()

    def tell(done: Played) -> None:
        what = f"failed: {done.error}" if done.error else f"{done.path}, {done.seconds:.1f} s"
        print(f"seed {done.seed}: {what}", flush=True)
        sys.stderr.write(done.trace)

    played = build(args.corpus, runs, args.workers, tell)
    failed = sum(bool(done.error) for done in played)
    print(f"{len(played)} runs, {failed} failed, {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


def _score(args: argparse.Namespace) -> int:
    from transfer_experiment.corpus.score import finished_runs, mistakes, score, table

    for half in _halves(args):
        scores = score(args.corpus, finished_runs(args.corpus, PLANS[half]()))
        if args.json:
            shown = {"half": half, **msgspec.to_builtins(scores)}
            print(msgspec.json.encode(shown).decode())
            continue
        print(f"{half}: {scores.runs} runs\n\n{table(scores)}\n")
        if args.mistakes:
            print(f"{mistakes(scores)}\n")
    return 0


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {"build": _build, "score": _score}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
