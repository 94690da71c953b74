"""`hyperspace completion`: what a shell needs to complete commands and options."""

import argparse

SUMMARY = "print the completion of commands and options for a shell"
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    """Print the script; it knows the options of this version."""
    import shtab

    from hyperspace.cli.parser import build

    parser, _ = build()
    print(shtab.complete(parser, args.shell))
    return 0
