"""`hyperspace space stats`: how much is in a space, and who holds what."""

import argparse
from typing import TYPE_CHECKING

from hyperspace.arguments.common import add_json
from hyperspace.commands.space.place import Place

if TYPE_CHECKING:
    from runs.spaces.statistics import LeaseState, Statistics

SUMMARY = "count marks by scope and type; show size, head, clock and leases"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's options."""
    add_json(parser)


def run(args: argparse.Namespace, place: Place) -> int:
    """Print the numbers."""
    import msgspec

    from runs.spaces.statistics import statistics_of

    found = statistics_of(place.space)
    if args.json:
        print(msgspec.json.encode(found).decode())
    else:
        _print_text(found)
    return 0


def _print_text(found: "Statistics") -> None:
    from runs.spaces.listing import printable

    print(f"{'scope':<32} {'type':<12} {'live':>8} {'superseded':>10} {'archived':>8}")
    for n in found.counts:
        place = f"{printable(n.scope):<32} {n.mark_type:<12}"
        print(f"{place} {n.live:>8} {n.superseded:>10} {n.archived:>8}")
    clock = "none" if found.clock is None else f"{found.clock:.3f}"
    print(f"{found.marks} marks in {found.scopes} registered scopes, {found.size_bytes:,} bytes")
    print(f"head: mark {found.sequence}, entry {found.entries}, {found.head}")
    print(f"clock: {clock}")
    for lease in found.leases:
        print(_lease(lease))


def _lease(lease: "LeaseState") -> str:
    from runs.spaces.listing import printable

    held = "expired" if lease.expired else "held"
    where = f"pid {lease.info.get('pid', '?')} on {lease.info.get('host', '?')}"
    age = f"last heartbeat {lease.age_s:.1f} s ago"
    who = f"{printable(lease.holder)} ({printable(where)}, {age})"
    return f"lease {printable(lease.name)}: {held} by {who}"
