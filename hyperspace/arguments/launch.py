"""What every command that launches runs asks for, beside who plays what and how."""

import argparse
from pathlib import Path
from typing import Any

from hyperspace.arguments.common import DEFAULT_CACHE, add_cache, add_outage, default_cache
from hyperspace.arguments.evaluation import add_evaluation
from hyperspace.arguments.guard import add_guard, policies_of, visibility_of
from hyperspace.arguments.spending import add_dry_run, add_terms, asked_terms
from hyperspace.arguments.start import add_start, start_of


def add_launch(parser: argparse.ArgumentParser) -> None:
    """Declare data, code to start from, guard, sandbox, results, spending, cache and traces."""
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="folder with the domain's data (default: none)"
    )
    add_start(parser)
    add_evaluation(parser)
    add_guard(parser)
    parser.add_argument(
        "--sandbox",
        choices=("auto", "bubblewrap", "docker", "bubblewrap-cold", "process"),
        default="auto",
        help="where code of agents runs (default: auto, the best that hyperspace doctor finds)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="folder that runs are put into (default: results)",
    )
    add_terms(parser)
    add_dry_run(parser)
    add_outage(parser)
    add_cache(parser)
    parser.add_argument(
        "--keep-traces",
        choices=("all", "best", "none"),
        default="all",
        help="which traces stay when the run is finished; a run without them cannot be replayed "
        "(default: all)",
    )
    parser.add_argument(
        "--otel",
        action="store_true",
        help="send a span for each model call to OTEL_EXPORTER_OTLP_ENDPOINT, without its texts",
    )


def launch_asked(args: argparse.Namespace) -> dict[str, Any]:
    """What a parsed command line says of it, by the fields of `LaunchOptions`."""
    return {
        "data": args.data,
        "initial": args.initial,
        "policies": policies_of(args),
        "visible": visibility_of(args),
        "sandbox": args.sandbox,
        "results": args.results,
        "command": tuple(args.argv),
        "terms": asked_terms(args),
        "outage_minutes": args.outage_minutes,
        "cache": default_cache() if args.cache is DEFAULT_CACHE else args.cache,
        "cache_max_gb": args.cache_max_gb,
        "keep_traces": args.keep_traces,
        "otel": args.otel,
        "start": start_of(args),
        "eval_samples": args.eval_samples,
        "eval_repeats": args.eval_repeats,
        "eval_workers": args.eval_workers,
    }
