"""`hyperspace doctor`: which sandboxes work on this machine, shown by an attack on each."""

import argparse
import sys
from contextlib import closing

from hyperspace.options.values import executor_name
from hyperspace.reporting.command_line import add_json

SUMMARY = "say which sandboxes work here, prove each by attacking it, and say how to get the others"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--build-image",
        action="store_true",
        help="first build the image of the Docker sandbox (needs mmdebstrap and a Debian mirror)",
    )
    parser.add_argument(
        "--executor",
        type=executor_name,
        default="local",
        metavar="NAME",
        help="examine each node of a cluster: ray, ray://HOST:PORT (default: local, this machine)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Examine every sandbox; 0 if one that is a boundary holds, 1 if none does."""
    if args.executor != "local":
        return examine_nodes(args.executor, as_json=args.json)
    from guards.sandboxes.doctor import describe, examine_all, sound_boundary
    from hyperspace.cli.printing.streaming import print_json

    if args.build_image:
        build()
    findings = examine_all()
    best = sound_boundary(findings)
    if args.json:
        print_json({"boundary": best, "sandboxes": findings}, indent=2)
    else:
        for finding in findings:
            print(f"{finding.name:<15} {describe(finding)}")
        nothing = "no boundary: only built-in offline models can run here"
        print(f"runs take {best}" if best else nothing)
    return 0 if best else 1


def examine_nodes(executor: str, *, as_json: bool) -> int:
    """Examine each node of a cluster; 0 if one may play jobs, 1 if none may."""
    from hyperspace.cli.printing.cluster import node_fields, node_lines
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.executor.program import installed
    from hyperspace.executor.ray.cluster import connected
    from hyperspace.executor.resources import Resources

    with connected(executor) as cluster:
        nodes = cluster.examine(cluster.nodes())
    version, resources = installed(), Resources()
    if as_json:
        print_json({"nodes": [node_fields(n, version, resources) for n in nodes]}, indent=2)
    else:
        for node in nodes:
            print("\n".join(node_lines(node, version, resources)))
    return 0 if any(not node.refusal(version) for node in nodes) else 1


def build() -> None:
    """Build the image of the Docker sandbox and tell its id."""
    from guards.sandboxes.docker.daemon import connect
    from guards.sandboxes.docker.image import IMAGE, build_image

    with closing(connect()) as client:
        made = build_image(client)
    print(f"built {IMAGE} ({made})", file=sys.stderr)
