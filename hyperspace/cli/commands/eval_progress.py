"""`hyperspace eval_progress`: score curves with the best so far, over any runs."""

import argparse

from hyperspace.reporting.eval_progress import SUMMARY as SUMMARY
from hyperspace.reporting.eval_progress import add_arguments as add_arguments
from hyperspace.reporting.eval_progress import show


def run(args: argparse.Namespace) -> int:
    """Print the curves, and write what was asked for."""
    return show(args)
