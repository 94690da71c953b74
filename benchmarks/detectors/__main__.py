"""`python -m benchmarks.detectors build DIR`, `... play FOLDER` and `... score DIR`.

Exit codes: 0 done, 1 a run failed or a label does not hold, 2 used wrongly.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import msgspec

from benchmarks.detectors.constructed.design import scenarios
from benchmarks.detectors.development import development
from benchmarks.detectors.held_out import held_out
from benchmarks.detectors.plan import Half, PlannedRun, mini
from benchmarks.detectors.scenario_runs import scenario_runs, write_scenarios
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import in_the_way
from hyperspace.models.base import UnknownModel
from hyperspace.reporting.command_line import Parser

if TYPE_CHECKING:
    from benchmarks.detectors.build import PlayableRun
    from benchmarks.detectors.scenario_runs import ScenarioRun

PLANS: Mapping[Half, Callable[[], tuple[PlannedRun, ...]]] = {
    "development": development,
    "held-out": held_out,
    "mini": mini,
}
_COMMAND = ("python", "-m", "benchmarks.detectors")


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    args = _parser().parse_args(argv)
    try:
        return _COMMANDS[args.command](args)
    except KeyboardInterrupt:
        print("corpus: stopped; the same command goes on where it was", file=sys.stderr)
        return 130
    except (RunUsageError, UnknownModel) as error:
        print(f"corpus: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog=" ".join(_COMMAND))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="play the runs; what is finished is not played again")
    play = commands.add_parser("play", help="play a folder of scenarios; likewise")
    score = commands.add_parser("score", help="print precision and recall of the detectors")
    for command in (build, score):
        command.add_argument(
            "corpus",
            type=Path,
            metavar="DIR",
            help="folder of the corpus" + (", or of scenarios" if command is score else ""),
        )
        command.add_argument(
            "--half",
            choices=[*get_args(Half), "all"],
            default="all",
            help="all (default) is development and held-out",
        )
        command.add_argument(
            "--part",
            choices=["personas", "scenarios", "all"],
            default="all",
            help="habits are labelled in runs of personas, adoption in scenarios (default: both)",
        )
    play.add_argument("folder", type=Path, metavar="FOLDER", help="of scenario files")
    cores = os.cpu_count() or 1
    for command in (build, play):
        command.add_argument(
            "--workers", type=int, default=cores, metavar="N", help="runs at once (default: cores)"
        )
    score.add_argument("--json", action="store_true", help="print one JSON object a table")
    score.add_argument("--mistakes", action="store_true", help="also name every mistake")
    return parser


def _halves(args: argparse.Namespace) -> tuple[Half, ...]:
    return ("development", "held-out") if args.half == "all" else (args.half,)


def _build(args: argparse.Namespace) -> int:
    from benchmarks.detectors.build import PlayableRun

    if blocking := in_the_way(args.corpus):
        raise RunUsageError(f"{args.corpus}: {blocking} is no folder; name another DIR")
    command = (*_COMMAND, "build", str(args.corpus))
    jobs: list[PlayableRun] = []
    for half in _halves(args):
        if args.part != "scenarios":
            jobs += [
                PlayableRun(run.name, run.options(args.corpus, command)) for run in PLANS[half]()
            ]
        if args.part != "personas":
            runs = write_scenarios(_scenarios_of(args.corpus, half), scenarios(half))
            jobs += [PlayableRun(run.name, run.options(command)) for run in runs]
    return _play_jobs(jobs, args.workers)


def _scenarios_of(corpus: Path, half: Half) -> Path:
    return corpus / half / "scenarios"


def _play(args: argparse.Namespace) -> int:
    from benchmarks.detectors.build import PlayableRun

    command = (*_COMMAND, "play", str(args.folder))
    jobs = [PlayableRun(run.name, run.options(command)) for run in scenario_runs(args.folder)]
    return _play_jobs(jobs, args.workers)


def _play_jobs(jobs: Sequence["PlayableRun"], workers: int) -> int:
    from benchmarks.detectors.build import Played, build

    started = time.monotonic()

    def tell(done: Played) -> None:
        what = f"failed: {done.error}" if done.error else f"{done.path}, {done.seconds:.1f} s"
        print(f"{done.name}: {what}", flush=True)
        sys.stderr.write(done.trace)

    played = build(jobs, workers, tell)
    failed = sum(bool(done.error) for done in played)
    print(f"{len(played)} runs, {failed} failed, {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


def _score(args: argparse.Namespace) -> int:
    if args.corpus.is_dir() and (runs := scenario_runs(args.corpus)):
        return _score_scenarios(args, args.corpus.name, runs)
    code = 0
    for half in _halves(args):
        if args.part != "scenarios":
            _score_personas(args, half)
        if args.part != "personas":
            runs = scenario_runs(_scenarios_of(args.corpus, half))
            code |= _score_scenarios(args, half, runs)
    return code


def _score_personas(args: argparse.Namespace, half: Half) -> None:
    from benchmarks.detectors.measured import mistakes
    from benchmarks.detectors.score import finished_runs, score, table

    scores = score(args.corpus, finished_runs(args.corpus, PLANS[half]()))
    if args.json:
        _print_json(half, "personas", scores)
        return
    print(f"{half}: {scores.runs} runs of personas\n\n{table(scores)}\n")
    if args.mistakes:
        print(f"{mistakes(scores.measures)}\n")


def _score_scenarios(args: argparse.Namespace, name: str, runs: Sequence["ScenarioRun"]) -> int:
    from benchmarks.detectors.measured import mistakes
    from benchmarks.detectors.scenario_score import scenarios_table, score_scenarios

    scores = score_scenarios(runs)
    if args.json:
        _print_json(name, "scenarios", scores)
    else:
        print(f"{name}: {scores.runs} runs of scenarios\n\n{scenarios_table(scores)}\n")
        if args.mistakes:
            print(f"{mistakes(scores.measures)}\n")
    return 1 if scores.not_borne_out else 0


def _print_json(half: str, part: str, scores: msgspec.Struct) -> None:
    shown = {"half": half, "part": part, **msgspec.to_builtins(scores)}
    print(msgspec.json.encode(shown).decode())


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "build": _build,
    "play": _play,
    "score": _score,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
