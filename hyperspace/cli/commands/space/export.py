"""`hyperspace space export`: all marks as one file for other programs."""

import argparse
from pathlib import Path

from hyperspace.cli.commands.space.place import Place, add_scope

SUMMARY = "write all marks to a file, as JSON lines or Parquet"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's options."""
    parser.add_argument(
        "--format", choices=("jsonl", "parquet"), default="jsonl", help="default: jsonl"
    )
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="appears when it is complete; what had that name is replaced",
    )
    add_scope(parser)


def run(args: argparse.Namespace, opened: Place) -> int:
    """Export one committed state of the space."""
    from hyperspace.reporting.output import require_output
    from hyperspace.runs.spaces.opening import SpaceUsageError, check_scope, kept_in
    from hyperspace.runs.spaces.space_export import replacing, writer_of
    from markspace.stores.sqlite import SQLiteStore

    write = writer_of(args.format)
    check_scope(opened.space, args.scope)
    store, output = opened.space.store, args.output
    if isinstance(store, SQLiteStore) and output.exists() and output.samefile(store.path):
        raise SpaceUsageError(f"{output} is the space itself; choose another --output")
    require_output(output)
    with replacing(output) as file, store.snapshot() as reader:
        head = reader.head()
        count = write(file, kept_in(opened.space, reader, args.scope))
    print(f"{count} marks up to sequence {head.sequence} written to {output}")
    return 0
