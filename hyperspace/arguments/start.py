"""Options about the code that a run starts from, shared by the commands that launch runs."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolution.launch.start import Start


def add_start(parser: argparse.ArgumentParser) -> None:
    """Declare what to start from: it adds up in this order."""
    parser.add_argument(
        "--initial", type=Path, metavar="DIR", help="start every agent from the code in DIR"
    )
    parser.add_argument(
        "--from-run",
        metavar="RUN[#AGENT][/gen_N]",
        help="start every agent from a generation of another run (default: the agent's best)",
    )
    parser.add_argument(
        "--start-from",
        type=Path,
        action="append",
        default=[],
        metavar="PATCHES",
        help="apply a unified diff, or each *.diff and *.patch of a folder; repeatable",
    )
    parser.add_argument(
        "--reset",
        choices=("task", "meta"),
        help="put task_agent.py or meta_agent.py back to the seed afterwards",
    )


def start_of(args: argparse.Namespace) -> "Start":
    """What to start from beside `--initial`."""
    from evolution.launch.start import Start

    return Start(run=args.from_run, patches=tuple(args.start_from), reset=args.reset)
