"""`hyperspace replay`: make a run again from its traces, without a connection."""

import argparse
import sys
from typing import TYPE_CHECKING

from hyperspace.cli.arguments.moved_data import add_moved_data, domain_data, research_data
from hyperspace.reporting.command_line import add_json, add_run

if TYPE_CHECKING:
    from hyperspace.launch.replay import ReplayResult
    from hyperspace.tracing.replaying import Difference

LONGEST_LINE = 500
SUMMARY = "make a run again from its traces, asking no model, and compare it with its record"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    parser.add_argument(
        "--tools",
        choices=("recorded", "live"),
        default="recorded",
        help="recorded: what tools said and did counts as in the record; live: what they say and "
        "do now counts, and each difference is told",
    )
    add_moved_data(parser)
    parser.add_argument(
        "--domain",
        metavar="D",
        help="say that you trust a domain of the form FILE.py:NAME",
    )
    parser.add_argument(
        "--sandbox",
        choices=("bubblewrap", "docker", "process"),
        help="default: the kind that the run was made in",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run the live tools of a run that was not begun by you here",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Replay; 0 if it ends with the recorded digest, 1 if not."""
    from hyperspace.research.loop.folder import RECORD

    if (args.run / RECORD).is_file():
        return _replay_research(args)
    from hyperspace.cli.launching import options_kind
    from hyperspace.cli.printing.progress import progress
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.cli.printing.unfinished import tell_unfinished
    from hyperspace.kernel.state.config import read_record_of
    from hyperspace.launch.replay import ReplayOptions, replay_run

    options = ReplayOptions(
        run=args.run,
        tools=args.tools,
        data=domain_data(args.data),
        domain=args.domain,
        sandbox=args.sandbox,
        kind=options_kind(args.run),
        trust=args.trust,
    )
    config = read_record_of(args.run).configuration
    budgets = [config.member(name).generations for name in config.agents]
    with progress(zip(config.agents, config.models, budgets, strict=True)) as observer:
        result = replay_run(options, observer)
    if args.json:
        print_json(result)
    else:
        _print_text(result)
    tell_unfinished(args.run)
    return 0 if result.same else 1


def _replay_research(args: argparse.Namespace) -> int:
    """Replay a research run; its jobs are its tools."""
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.research.loop.replay import replay_research

    is_live = args.tools == "live"
    data = research_data(args.data)
    result = replay_research(
        args.run, lambda _: None, live_jobs=is_live, trust=args.trust, data=data
    )
    if args.json:
        print_json(result)
    elif result.same:
        print(f"{result.closed} ideas made again; digest {result.digest}, as recorded")
    else:
        print(f"recorded digest {result.recorded_digest}, replayed so far {result.digest}")
        if result.difference is not None:
            print("the replay stops at its first difference:")
            _print_difference(result.difference)
        print("hyperspace: this replay is not its record", file=sys.stderr)
    return 0 if result.same else 1


def _print_difference(difference: "Difference") -> None:
    from hyperspace.runs.spaces.listing import printable

    for line in difference.text().splitlines():
        print(printable(line, LONGEST_LINE))


def _print_text(result: "ReplayResult") -> None:
    if result.tools == "live":
        for difference in result.tool_differences:
            call, before = difference.call, difference.recorded
            where = f"{difference.agent} gen {difference.generation}, {call.purpose}/{call.item}"
            which = f"{where} #{call.ordinal}, message {difference.message}"
            print(f"{which}: {before!r} is now {difference.replayed!r}")
    said = len(result.tool_differences)
    taken = "from the record" if result.tools == "recorded" else "as made now"
    print(f"{said} tool results differ from the record")
    for files in result.files_differ:
        paths = ", ".join(files.paths)
        print(f"{files.agent} gen {files.generation}: tools left other files ({paths}): {taken}")
    if result.same:
        print(f"{result.closed} closings made again; digest {result.digest}, as recorded")
        return
    if result.difference is not None:
        print("the replay stops at its first difference:")
        _print_difference(result.difference)
    print(f"recorded digest {result.recorded_digest}, replayed so far {result.digest}")
    print("hyperspace: this replay is not its record", file=sys.stderr)
