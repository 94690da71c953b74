"""`hyperspace space needs`: what agents ask the person."""

import argparse
from typing import TYPE_CHECKING

from hyperspace.cli.commands.space.place import Place, add_lines, add_scope

if TYPE_CHECKING:
    from markspace import NeedCluster

SUMMARY = "list open questions to the person by scope, most urgent first"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's options."""
    add_scope(parser)
    add_lines(parser)


def run(args: argparse.Namespace, opened: Place) -> int:
    """List the open needs."""
    from hyperspace.runs.spaces.opening import check_scope
    from markspace import scope_contains

    check_scope(opened.space, args.scope)
    clusters = [
        cluster
        for cluster in opened.space.aggregate_needs()
        if args.scope is None or scope_contains(args.scope, cluster.scope)
    ]
    for cluster in clusters:
        _print_json(cluster) if args.json else _print_text(cluster)
    if not clusters and not args.json:
        print("no open needs")
    return 0


def _print_json(cluster: "NeedCluster") -> None:
    from hyperspace.cli.printing.streaming import print_json

    shown = {
        "scope": cluster.scope,
        "effective_priority": cluster.effective_priority,
        "blocking_count": cluster.blocking_count,
        "needs": [need.model_dump() for need in cluster.needs],
    }
    print_json(shown)


def _print_text(cluster: "NeedCluster") -> None:
    from hyperspace.runs.spaces.listing import MAX_QUESTION, printable

    count = f"{len(cluster.needs)} open, {cluster.blocking_count} blocking"
    print(f"{printable(cluster.scope)}: priority {cluster.effective_priority:.2f}, {count}")
    for need in cluster.needs:
        blocking = ", blocking" if need.blocking else ""
        question = printable(need.question, MAX_QUESTION)
        print(f"    {question} (priority {need.priority:.2f}{blocking}, id {need.id})")
