"""`hyperspace space audit`: the entries of the audit chain."""

import argparse
import sys
from typing import TYPE_CHECKING

from hyperspace.cli.commands.space.place import Place, add_lines
from hyperspace.options.values import whole_number

if TYPE_CHECKING:
    from markspace.keeping.audit import AuditEntry, Decision

SUMMARY = "list the entries of the audit chain: commits, refusals, scopes, archiving"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's options."""
    parser.add_argument(
        "--after", type=whole_number, default=0, metavar="NUMBER", help="only later entries"
    )
    add_lines(parser)


def run(args: argparse.Namespace, opened: Place) -> int:
    """List the entries. Whether the chain is whole is for `space verify` to say."""
    import msgspec

    for entry in opened.space.audit(after=args.after):
        line = msgspec.json.encode(entry).decode() if args.json else _line(entry)
        sys.stdout.write(line + "\n")
    return 0


def _line(entry: "AuditEntry") -> str:
    from hyperspace.runs.spaces.listing import MAX_QUESTION, printable

    parts = [f"marks {entry.first}-{entry.last}"] if entry.marks else []
    parts += [printable(entry.subject, MAX_QUESTION)] if entry.subject else []
    parts += [f"archived {entry.archived}"] if entry.archived else []
    parts += [_decision(decision) for decision in entry.decisions]
    return f"{entry.number:>6}  {entry.kind:<9} {entry.digest[:12]}  {'; '.join(parts)}"


def _decision(decision: "Decision") -> str:
    from hyperspace.runs.spaces.listing import MAX_QUESTION, printable

    who, where = printable(decision.agent), printable(decision.scope)
    what = f"{decision.operation} {decision.verdict}: {who} {decision.mark_type} in {where}"
    reason = printable(decision.reason, MAX_QUESTION)
    return f"{what} ({reason})" if reason else what
