"""`hyperspace resume`: go on with a run from its folder, or from its space on a server."""

import argparse
from pathlib import Path
from typing import Any

from hyperspace.cli.arguments.declared import add_options, values
from hyperspace.cli.arguments.launching import Launching
from hyperspace.cli.arguments.moved_data import add_moved_data, domain_data, research_data
from hyperspace.options.launch import LaunchOptions
from hyperspace.reporting.command_line import add_json

SUMMARY = "go on with a run that was stopped; needs its folder, or its space on a server"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "run",
        metavar="RUN",
        help="run folder, or postgresql://host/database?space=NAME; the folder is then made again "
        "below --results",
    )
    add_moved_data(parser)
    add_json(parser)
    add_options(parser, "resume", (LaunchOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Read the run's record and play on."""
    from hyperspace.cli.launching import detach, launch, options_kind
    from hyperspace.kernel.state.remote.place import is_remote
    from hyperspace.launch.existing import options_of
    from hyperspace.launch.from_server import folder_from_server
    from hyperspace.runs.research.kind import is_research

    now = values(args, LaunchOptions, "resume")
    if args.generations is None:
        del now["generations"]
    if not is_remote(args.run) and is_research(Path(args.run)):
        return _resume_research(args, now)
    if (data := domain_data(args.data)) is not None:
        now["data"] = data
    run = folder_from_server(args.run, args.results) if is_remote(args.run) else Path(args.run)
    options = options_of(run, options_kind(run), **now)
    if args.detach:
        return detach(args, [options])
    return launch(options, as_json=args.json)


def _resume_research(args: argparse.Namespace, now: dict[str, Any]) -> int:
    from hyperspace.cli.printing.endings import tell_ideas
    from hyperspace.cli.printing.research_text import print_research
    from hyperspace.cli.printing.streaming import tell_line
    from hyperspace.kernel.errors import RunUsageError
    from hyperspace.research.loop.resuming import ResumeTerms, resume_research

    for name in ("slot", "anchor", "detach", "generations"):
        if getattr(args, name) not in (None, False):
            raise RunUsageError(
                f"{args.run} is a research run, which knows no --{name}; leave it out"
            )
    terms = ResumeTerms(
        spending=now["terms"],
        slots=now["slots"],
        executor=now["executor"],
        outage_minutes=now["outage_minutes"],
        trust=now["trust"],
        keys_to=now["keys_to"],
        data=research_data(args.data),
    )
    fields = resume_research(Path(args.run), terms, tell_line)
    print_research(fields, as_json=args.json)
    return tell_ideas([fields])
