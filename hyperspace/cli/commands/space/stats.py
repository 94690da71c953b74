"""`hyperspace space stats`: how much is in a space, and who holds what."""

import argparse
from typing import TYPE_CHECKING

from hyperspace.cli.commands.space.place import Place
from hyperspace.reporting.command_line import add_json

if TYPE_CHECKING:
    from hyperspace.runs.spaces.statistics import Statistics

SUMMARY = "count marks by scope and type; show size, head, clock and leases"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's options."""
    add_json(parser)


def run(args: argparse.Namespace, opened: Place) -> int:
    """Print the numbers."""
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.runs.spaces.statistics import statistics_of

    numbers = statistics_of(opened.space)
    if args.json:
        print_json(numbers)
    else:
        _print_text(numbers)
    return 0


def _print_text(numbers: "Statistics") -> None:
    from hyperspace.runs.spaces.listing import printable

    print(f"{'scope':<32} {'type':<12} {'live':>8} {'superseded':>10} {'archived':>8}")
    for n in numbers.counts:
        columns = f"{printable(n.scope):<32} {n.mark_type:<12}"
        print(f"{columns} {n.live:>8} {n.superseded:>10} {n.archived:>8}")
    clock = "none" if numbers.clock is None else f"{numbers.clock:.3f}"
    print(
        f"{numbers.marks} marks in {numbers.scopes} registered scopes, {numbers.size_bytes:,} bytes"
    )
    print(f"head: mark {numbers.sequence}, entry {numbers.entries}, {numbers.head}")
    print(f"clock: {clock}")
    for lease in numbers.leases:
        held = "expired" if lease.expired else "held"
        where = f"pid {lease.info.get('pid', '?')} on {lease.info.get('host', '?')}"
        age = f"last heartbeat {lease.age_s:.1f} s ago"
        who = f"{printable(lease.holder)} ({printable(where)}, {age})"
        print(f"lease {printable(lease.name)}: {held} by {who}")
