"""`hyperspace verify`: an export that somebody was given, checked before it is unpacked."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.options.values import chain_head
from hyperspace.reporting.command_line import add_json

if TYPE_CHECKING:
    from hyperspace.export.packing import Contents

SUMMARY = "check an export against its own list, its digest and its audit chain"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="FILE.tar.gz, FILE.tar.zst or FILE.zip"
    )
    parser.add_argument(
        "--digest", type=chain_head, metavar="HEX", help="the digest that it must have"
    )
    parser.add_argument(
        "--head", type=chain_head, metavar="HEX", help="the audit head that it must have"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Check it, and say what it is; the exit code is 1 if anything is another than listed."""
    import msgspec

    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.runs.exports.verifying import verify_archive

    contents, ledger_damage = verify_archive(args.file)
    problems = [*_problems(contents, args.digest, args.head), *filter(None, [ledger_damage])]
    if args.json:
        listed = msgspec.structs.asdict(contents)
        print_json({"is_own": contents.is_own, "problems": problems, **listed})
    else:
        _print_text(contents, problems)
    return 1 if problems else 0


def _problems(contents: "Contents", digest: str | None, head: str | None) -> Iterator[str]:
    if contents.audit_problem:
        yield f"its audit chain breaks: {contents.audit_problem}"
    if digest not in (None, contents.digest):
        yield f"its digest is not {digest}"
    if head not in (None, contents.audit_head):
        yield f"its audit head is not {head}"


def _print_text(contents: "Contents", problems: list[str]) -> None:
    state = "finished" if contents.finished else "not finished"
    redacted = ", redacted" if contents.redacted else ""
    files = f"{len(contents.files)} files are as its list says"
    print(f"{contents.run} ({state}{redacted}): {files}")
    signer = "you" if contents.is_own else "somebody else, or nobody: compare what follows"
    print(f"signed by {signer}")
    print(f"digest {contents.digest}")
    print(f"audit head {contents.audit_head}, of {contents.audit_entries} entries")
    for problem in problems:
        print(f"PROBLEM: {problem}")
