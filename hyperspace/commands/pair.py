"""`hyperspace pair`: two agents on different models take turns and may adopt from each other."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.arguments import (
    DEFAULT_CACHE,
    add_cache,
    add_json,
    add_outage,
    default_cache,
    positive,
    whole_number,
)
from hyperspace.evaluation_arguments import add_evaluation
from hyperspace.guard_arguments import add_guard, policies_of, visibility_of
from hyperspace.spending import add_dry_run, add_terms, asked_terms
from hyperspace.start_arguments import add_start, start_of

if TYPE_CHECKING:
    from transfer_experiment.options import PairOptions
    from transfer_experiment.result import PairResult

SUMMARY = "run two agents side by side, each improving its own code, and see who adopts what"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--models",
        nargs=2,
        required=True,
        metavar=("A", "B"),
        help="claude-..., gpt-..., accounts/fireworks/..., openrouter/..., offline/POLICY, "
        "NAME@http://host:port/v1 (hyperspace models lists them all)",
    )
    parser.add_argument(
        "--domain",
        required=True,
        help="repo_quality, imo_grading, FILE.py:NAME, or several joined by +",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the domain's data")
    add_evaluation(parser)
    parser.add_argument("--generations", type=positive, default=10, metavar="N")
    parser.add_argument("--seed", type=whole_number, default=42, metavar="N")
    parser.add_argument(
        "--eval-model", metavar="M", help="model that task agents call (default: the agent's own)"
    )
    add_start(parser)
    parser.add_argument(
        "--fallback",
        choices=("best", "previous", "none"),
        default="best",
        help="parent after a failure: the best, the latest valid one, or what failed itself",
    )
    add_guard(parser)
    parser.add_argument(
        "--sandbox",
        choices=("auto", "bubblewrap", "docker", "bubblewrap-cold", "process"),
        default="auto",
    )
    parser.add_argument("--results", type=Path, default=Path("results"), metavar="DIR")
    add_terms(parser)
    add_dry_run(parser)
    add_outage(parser)
    add_cache(parser)
    parser.add_argument(
        "--keep-traces",
        choices=("all", "best", "none"),
        default="all",
        help="which traces stay when the run is finished; a run without them cannot be replayed",
    )
    parser.add_argument(
        "--otel",
        action="store_true",
        help="send a span for each model call to OTEL_EXPORTER_OTLP_ENDPOINT, without its texts",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the run that the options name."""
    options = options_from(args)
    if args.dry_run:
        return look_ahead(options, as_json=args.json)
    return launch(options, as_json=args.json)


def options_from(args: argparse.Namespace) -> "PairOptions":
    """What a parsed command line asks for."""
    from transfer_experiment.options import PairOptions

    return PairOptions(
        models=tuple(args.models),
        domain=args.domain,
        data=args.data,
        generations=args.generations,
        seed=args.seed,
        eval_model=args.eval_model,
        initial=args.initial,
        start=start_of(args),
        fallback=args.fallback,
        policies=policies_of(args),
        visible=visibility_of(args),
        sandbox=args.sandbox,
        results=args.results,
        command=tuple(args.argv),
        terms=asked_terms(args),
        outage_minutes=args.outage_minutes,
        cache=default_cache() if args.cache is DEFAULT_CACHE else args.cache,
        cache_max_gb=args.cache_max_gb,
        keep_traces=args.keep_traces,
        otel=args.otel,
        eval_samples=args.eval_samples,
        eval_workers=args.eval_workers,
    )


def look_ahead(options: "PairOptions", *, as_json: bool) -> int:
    """Print what a run will take."""
    from hyperspace.forecasts import print_forecast
    from transfer_experiment.pair import dry_run

    print_forecast(dry_run(options), as_json=as_json)
    return 0


def launch(options: "PairOptions", *, as_json: bool) -> int:
    """Play a paired run with progress and print its result."""
    from hyperspace.progress import progress
    from transfer_experiment.pair import run_pair

    agents = list(zip(options.agents(), options.models, strict=True))
    with progress(agents, options.generations) as observer:
        result = run_pair(options, observer)
    show(result, as_json=as_json)
    return 0


def show(result: "PairResult", *, as_json: bool) -> None:
    """Print a result on standard output, as JSON or as tables."""
    if as_json:
        from transfer_experiment.result import to_json

        sys.stdout.write(to_json(result) + "\n")
        return
    from hyperspace.tables import print_pair

    print_pair(result)
