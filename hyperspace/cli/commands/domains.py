"""`hyperspace domains`: the tasks that there are, one of them in full, a new one of your own."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.reporting.command_line import add_json

if TYPE_CHECKING:
    from hyperspace.cli.domain_check import DomainReport
    from hyperspace.cli.domain_listing import DomainLine
    from hyperspace.cli.domain_view import DomainView

SUMMARY = "list the tasks that agents can get better at, show one, check one of your own"
SURPLUS = "several domains are joined by +"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "domain",
        nargs="?",
        metavar="NAME",
        help="show this one, written as for --domain of a run: NAME?key=value, FILE.py:NAME or a "
        "folder",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the domain's data")
    parser.add_argument(
        "--check",
        action="store_true",
        help="play the seed of the domain that is named, or of every one, and check what the "
        "contract asks of a domain; 1 if something is wrong",
    )
    parser.add_argument(
        "--new", metavar="NAME", help="write a domain of your own that runs, in one file"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where --new writes (default: NAME.py)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List, show, check or write."""
    _refuse_contradictions(args)
    if args.new is not None:
        return _write(args.new, args.output or Path(f"{args.new}.py"), as_json=args.json)
    if args.check:
        return _check(args)
    if args.domain is not None:
        return _show(args)
    from hyperspace.cli.domain_listing import listing
    from hyperspace.cli.printing.streaming import print_json

    lines = listing(args.data)
    if args.json:
        print_json({"domains": lines}, indent=2)
    else:
        _print_list(lines)
    return 0


def _refuse_contradictions(args: argparse.Namespace) -> None:
    from hyperspace.kernel.errors import RunUsageError

    if args.new is not None and (args.domain or args.check or args.data):
        raise RunUsageError("--new writes a file and nothing else; name a domain in another call")
    if args.output is not None and args.new is None:
        raise RunUsageError("-o is where --new writes; say --new NAME")


def _write(name: str, path: Path, *, as_json: bool) -> int:
    from hyperspace.cli.domain_template import write_template
    from hyperspace.cli.printing.streaming import print_json

    write_template(name, path)
    if as_json:
        print_json({"domain": f"{path}:{name}"})
    else:
        print(f"{path} is a domain that runs; play it, then make it yours:")
        print(
            f"  hyperspace pair --domain {path}:{name} --models offline/tinker offline/magpie "
            "--generations 2"
        )
    return 0


def _show(args: argparse.Namespace) -> int:
    from hyperspace.cli.domain_view import view
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.tasks.registry import load

    shown = view(load(args.domain, data=args.data))
    if args.json:
        print_json(shown, indent=2)
    else:
        _print_view(shown)
    return 0


def _check(args: argparse.Namespace) -> int:
    from hyperspace.cli.domain_check import check_all, check_named
    from hyperspace.cli.printing.streaming import print_json

    named = args.domain is not None
    reports = [check_named(args.domain, args.data)] if named else check_all(args.data, _tell)
    if args.json:
        print_json({"domains": reports}, indent=2)
    else:
        _print_reports(reports)
    return 1 if any(report.failures for report in reports) else 0


def _tell(name: str) -> None:
    if sys.stderr.isatty():
        print(f"checking {name} ...", file=sys.stderr, flush=True)


def _print_list(lines: "list[DomainLine]") -> None:
    from rich.table import Table

    from hyperspace.cli.printing.terminal import console

    table = Table(title="domains")
    for title in ("name", "shape", "train/val/test", "what it is", "needs"):
        table.add_column(title, overflow="fold")
    for line in lines:
        items = "/".join(map(str, line.items.values()))
        table.add_row(line.name, line.shape or "-", items or "-", line.about, line.needs)
    console().print(table)
    print("hyperspace domains NAME shows one; hyperspace domains --new NAME writes one of yours")


def _print_view(shown: "DomainView") -> None:
    from rich.syntax import Syntax

    from hyperspace.cli.domain_view import TASK_AGENT, example_text, facts
    from hyperspace.cli.printing.terminal import console, escaped

    out = console()
    if shown.readme:
        print(shown.readme.strip())
    else:
        print(f"# {shown.name}")
    print("\n" + "\n".join(facts(shown)))
    print(f"\ninputs of the first train item:\n{example_text(shown.example)}")
    print(f"\nthe seed's {TASK_AGENT}:")
    code = escaped(shown.seed.rstrip())
    if out.is_terminal:
        out.print(
            Syntax(code, "python", theme="ansi_dark", background_color="default", word_wrap=True)
        )
    else:
        print(code)


def _print_reports(reports: "list[DomainReport]") -> None:
    from rich.table import Table

    from hyperspace.cli.printing.terminal import console
    from hyperspace.reporting.lines import score

    table = Table(title="scores of the seeds")
    for title in ("domain", "train", "val", "test", "CPU s of train and val", "metric"):
        table.add_column(title, overflow="fold")
    for report in reports:
        if report.scores:
            scores = [score(report.scores.get(split)) for split in ("train", "val", "test")]
            cpu_s = "-" if report.cpu_s is None else f"{report.cpu_s:.2f}"
            table.add_row(report.domain, *scores, cpu_s, report.metric)
    if table.row_count:
        console().print(table)
    for report in reports:
        if report.not_played:
            print(f"{report.domain}: not played: {report.not_played}")
        for note in report.notes:
            print(f"{report.domain}: note: {note}")
        for failure in report.failures:
            print(f"{report.domain}: FAILED: {failure}")
    if len(reports) == 1 and not reports[0].failures:
        print(f"{reports[0].domain} keeps the contract")
