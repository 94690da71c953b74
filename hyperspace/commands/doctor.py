"""`hyperspace doctor`: which sandboxes work on this machine, shown by an attack on each."""

import argparse
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from hyperspace.arguments.common import add_json

if TYPE_CHECKING:
    from hyperspace.doctor import SandboxCheck

SUMMARY = "say which sandboxes work here, prove each by attacking it, and say how to get the others"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--build-image",
        action="store_true",
        help="first build the image of the Docker sandbox (needs mmdebstrap and a Debian mirror)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Examine every sandbox; 0 if one that is a boundary holds, 1 if none does."""
    from hyperspace.doctor import examine_all, sound_boundary

    if args.build_image:
        build()
    findings = examine_all()
    if args.json:
        print_json(findings)
    else:
        print_lines(findings)
    return 0 if sound_boundary(findings) else 1


def build() -> None:
    """Build the image of the Docker sandbox and tell its id."""
    from guards.sandboxes.docker.daemon import connect
    from guards.sandboxes.docker.image import IMAGE, build_image

    with closing(connect()) as client:
        made = build_image(client)
    print(f"built {IMAGE} ({made})", file=sys.stderr)


def print_json(findings: "list[SandboxCheck]") -> None:
    """Print one JSON object."""
    import msgspec

    from hyperspace.doctor import sound_boundary

    told = {"boundary": sound_boundary(findings), "sandboxes": findings}
    print(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())


def print_lines(findings: "list[SandboxCheck]") -> None:
    """Print a line for each sandbox, and which one a run takes."""
    from hyperspace.doctor import describe, sound_boundary

    for finding in findings:
        print(f"{finding.name:<15} {describe(finding)}")
    best = sound_boundary(findings)
    print(f"runs take {best}" if best else "no boundary: only built-in offline models can run here")
