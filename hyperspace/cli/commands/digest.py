"""`hyperspace digest`: one number for a run; equal runs have equal numbers."""

import argparse

from hyperspace.reporting.command_line import add_run

SUMMARY = "print the digest of a run: equal for equal seeds and equal model answers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)


def run(args: argparse.Namespace) -> int:
    """Print the digest of what exists of the run."""
    from hyperspace.cli.printing.unfinished import tell_unfinished
    from hyperspace.kernel.state.digest import digest
    from hyperspace.research.loop.folder import RECORD

    if (args.run / RECORD).is_file():
        from hyperspace.research.loop.run import recorded_digest

        print(recorded_digest(args.run))
        return 0
    print(digest(args.run))
    tell_unfinished(args.run)
    return 0
