"""`hyperspace workers`: the nodes of a cluster, their slots, what runs where, who is refused."""

import argparse

from hyperspace.options.values import executor_name, slot_text
from hyperspace.reporting.command_line import add_json

SUMMARY = "show the nodes of a cluster, their slots, what runs on each, and why one is refused"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--executor",
        type=executor_name,
        default="ray://auto",
        metavar="NAME",
        help="the cluster: ray://HOST:PORT (default: ray://auto, the one on this machine)",
    )
    parser.add_argument(
        "--slot",
        type=slot_text,
        default="cpus=1",
        metavar="WHAT",
        help="count slots that hold this: cpus=N,gpus=N,memory_gb=N (default: cpus=1)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Ask the cluster, and the table in which coordinators say what they have running."""
    import msgspec

    from hyperspace.cli.printing.cluster import worker_lines
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.executor.names import parse_resources
    from hyperspace.executor.ray.board import coordinators
    from hyperspace.executor.ray.cluster import connected, require_cluster

    resources = parse_resources(args.slot)
    require_cluster(args.executor)
    with connected(args.executor) as cluster:
        nodes, running = cluster.nodes(), coordinators()
    if args.json:
        told = [{"host": n.host, "id": n.id, "slots": n.slots(resources)} for n in nodes]
        print_json({"nodes": told, "coordinators": msgspec.to_builtins(running)}, indent=2)
    else:
        print("\n".join(worker_lines(nodes, running, resources)))
    return 0
