"""`hyperspace export`: a run as one file that can be cited and checked elsewhere."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.reporting.command_line import add_json, add_run

if TYPE_CHECKING:
    from hyperspace.export.packing import Contents

SUMMARY = "pack a run into one file with a hash of everything, redacted on request, and verify it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="a new FILE.tar.gz, FILE.tar.zst or FILE.zip (default: <pairing>-seed<n>.tar.gz here)",
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="take out what was said to and by models, home folders, host and user names; what you "
        "told agents is in the digest, and stays",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Pack, verify what was written, and say what it is."""
    import msgspec

    from hyperspace.audit.ledger import ledger_damage_in
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.kernel.errors import RunUsageError
    from hyperspace.research.loop.folder import RECORD
    from hyperspace.runs.exports.research_export import export_research
    from hyperspace.runs.exports.run_export import export
    from hyperspace.runs.research.kind import is_research

    name = "-".join(args.run.resolve().parts[-2:]).lstrip("/-")
    target = args.out or Path(f"{name}.tar.gz")
    if is_research(args.run):
        if args.redact:
            raise RunUsageError(
                f"{args.run} is a research run, of which nothing is taken out; look through "
                f"{RECORD} and ideas/*/ for what must not leave, and export it without --redact"
            )
        contents = export_research(args.run, target)
    else:
        contents = export(args.run, target, redact=args.redact)
    if damage := ledger_damage_in(args.run):
        print(f"exported as it is, and damaged: {damage}", file=sys.stderr)
    if args.json:
        print_json({"archive": str(target), **msgspec.structs.asdict(contents)})
    else:
        _print_text(target, contents)
    return 0


def _print_text(target: Path, contents: "Contents") -> None:
    from guards.scope.changes import printable

    state = "finished" if contents.finished else "not finished"
    where = printable(str(target))
    print(f"{contents.run} ({state}): {len(contents.files)} files in {where}, verified")
    for redaction in contents.redactions:
        counts = ", ".join(f"{count} {what}" for what, count in redaction.counts.items())
        print(f"    redacted {redaction.path}: {counts}")
    for path in contents.names_kept:
        print(f"    NOT REDACTED, hashes depend on it: a name or folder in {path}")
    for path in contents.left_out:
        print(f"    left out {path}")
    if contents.audit_problem:
        print(f"AUDIT CHAIN DOES NOT VERIFY: {contents.audit_problem}", file=sys.stderr)
    print(f"audit head {contents.audit_head}")
    print(f"digest {contents.digest}")
