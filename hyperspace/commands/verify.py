"""`hyperspace verify`: an export that somebody was given, checked before it is unpacked."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evolution.state.options.values import chain_head
from reporting.command_line import add_json

if TYPE_CHECKING:
    from runs.exports.verifying import Verified

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

    from hyperspace.printing.streaming import print_json
    from runs.exports.verifying import verify_archive

    verified = verify_archive(args.file)
    problems = list(_differing(verified, args.digest, args.head))
    if args.json:
        contents = msgspec.structs.asdict(verified.contents)
        print_json({"is_own": verified.is_own, "problems": problems, **contents})
    else:
        _print_text(verified, problems)
    return 1 if problems else 0


def _differing(verified: "Verified", digest: str | None, head: str | None) -> list[str]:
    contents = verified.contents
    problems = (
        [f"its audit chain breaks: {contents.audit_problem}"] if contents.audit_problem else []
    )
    if digest not in (None, contents.digest):
        problems.append(f"its digest is not {digest}")
    if head not in (None, contents.audit_head):
        problems.append(f"its audit head is not {head}")
    return problems


def _print_text(verified: "Verified", problems: list[str]) -> None:
    contents = verified.contents
    state = "finished" if contents.finished else "not finished"
    redacted = ", redacted" if contents.redacted else ""
    files = f"{len(contents.files)} files are as its list says"
    print(f"{contents.run} ({state}{redacted}): {files}")
    signer = "you" if verified.is_own else "somebody else, or nobody: compare what follows"
    print(f"signed by {signer}")
    print(f"digest {contents.digest}")
    print(f"audit head {contents.audit_head}, of {contents.audit_entries} entries")
    for problem in problems:
        print(f"PROBLEM: {problem}")
