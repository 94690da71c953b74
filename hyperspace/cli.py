"""The `hyperspace` command: finds the subcommand and turns its outcome into an exit code.

Exit codes: 0 done, 1 failed, 2 used wrongly. A command module has `SUMMARY`, `add_arguments` and
`run`, and may have `SURPLUS`, what to say to somebody who gives it more than it takes, and
`OWN_HELP`, true where it adds a `--help` itself; it imports what it needs inside `run`, so that
`--help` stays quick.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Final

from hyperspace import __version__
from hyperspace.examples import shown
from reporting.command_line import Parser

COMMANDS = (
    "pair",
    "solo",
    "fleet",
    "resume",
    "replay",
    "export",
    "analyze",
    "audit",
    "watch",
    "space",
    "report",
    "eval_progress",
    "digest",
    "models",
    "serve",
    "doctor",
)
PLAY: Final = ("pair", "solo", "fleet", "resume")


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    parser, modules = _build_parser(argv)
    args = parser.parse_args(argv)
    if args.command_name is None:
        parser.print_help()
        return 2
    args.argv = ("hyperspace", *argv)
    return _guarded(modules[args.command_name], args)


def _build_parser(argv: Sequence[str]) -> tuple[argparse.ArgumentParser, dict[str, ModuleType]]:
    """Return a parser with every command's name, and the modules of those that are wanted."""
    named = next((word for word in argv if not word.startswith("-")), None)
    wanted = (named,) if named in COMMANDS else COMMANDS
    parser = Parser(
        prog="hyperspace",
        description="Self-modifying agents on different models in one guarded mark space.",
        epilog=shown("pair"),
    )
    parser.add_argument("--version", action="version", version=f"hyperspace {__version__}")
    subparsers = parser.add_subparsers(dest="command_name", metavar="COMMAND")
    modules: dict[str, ModuleType] = {}
    for name in wanted:
        module = modules[name] = import_module(f"hyperspace.commands.{name}")
        sub = subparsers.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=shown(name),
            add_help=not getattr(module, "OWN_HELP", False),
        )
        sub.surplus = getattr(module, "SURPLUS", "")
        module.add_arguments(sub)
    return parser, modules


def _guarded(module: ModuleType, args: argparse.Namespace) -> int:
    try:
        return int(module.run(args))
    except KeyboardInterrupt:
        plays = args.command_name in PLAY and not getattr(args, "dry_run", False)
        told = "; the same command goes on where it was" if plays else ""
        print(f"\nhyperspace: stopped{told}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read our output has left; nothing more can be said on it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # the border to the person: a known failure is a sentence
        from pathlib import Path

        from hyperspace.failures import explain

        failure = explain(error, (v for v in vars(args).values() if isinstance(v, Path)))
        if failure is None:
            raise
        print(f"hyperspace: {failure.message}", file=sys.stderr)
        return failure.code
