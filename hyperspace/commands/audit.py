"""`hyperspace audit`: what the guard refused in a run, and whether its record is whole."""

import argparse
import sys
from typing import TYPE_CHECKING

from hyperspace.arguments import add_json, add_run

if TYPE_CHECKING:
    from evolution.audit import Audit

SUMMARY = "list what the guard refused in a run and verify the chain of its record"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    parser.add_argument("--agent", metavar="NAME", help="only this agent")
    parser.add_argument("--kind", metavar="KIND", help="only this kind, such as edit-scope")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print refusals and the verdict on the chain; 1 if the chain does not verify."""
    from evolution.audit import read_audit

    audit = read_audit(args.run, agent=args.agent, kind=args.kind)
    if args.json:
        _print_json(audit)
    else:
        _print_text(audit)
    return 0 if audit.verified else 1


def _print_json(audit: "Audit") -> None:
    import msgspec

    sys.stdout.write(msgspec.json.encode(audit).decode() + "\n")


def _print_text(audit: "Audit") -> None:
    for found in audit.refused:
        print(f"{found['agent']} gen {found['generation']} {found['kind']}: {found['what']}")
        print(f"    {found['verdict']}: {found['reason']}")
    print(f"{len(audit.refused)} refused")
    for (agent, kind), count in audit.totals().items():
        print(f"    {agent} {kind}: {count}")
    if audit.verified:
        print(f"audit chain verified: {audit.entries} entries, head {audit.head}")
    else:
        print(f"AUDIT CHAIN DOES NOT VERIFY: {audit.problem}", file=sys.stderr)
