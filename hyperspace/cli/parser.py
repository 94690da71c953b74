"""The parser of the whole command line, made of the modules of `hyperspace.cli.commands`.

A command module has `SUMMARY`, `add_arguments` and `run`, and may have `SURPLUS`, what to say to
somebody who gives it more than it takes, and `OWN_HELP`, true where it adds a `--help` itself; it
imports what it needs inside `run`, so that `--help` stays quick.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Final, NamedTuple

from hyperspace import __version__
from hyperspace.cli.examples import shown
from hyperspace.reporting.command_line import Parser

COMMANDS: Final = (
    "pair",
    "solo",
    "fleet",
    "arena",
    "research",
    "levels",
    "resume",
    "replay",
    "export",
    "verify",
    "analyze",
    "audit",
    "runs",
    "show",
    "watch",
    "dashboard",
    "steer",
    "trash",
    "play",
    "space",
    "report",
    "eval_progress",
    "digest",
    "models",
    "domains",
    "rubric",
    "serve",
    "doctor",
    "workers",
    "config",
    "completion",
)


class CommandParser(NamedTuple):
    """A command, ready to be parsed for and run.

    Attributes:
        module: Its module.
        parser: Of its own arguments.
    """

    module: ModuleType
    parser: Parser


def build(names: Sequence[str] = COMMANDS) -> tuple[ArgumentParser, dict[str, CommandParser]]:
    """Return the parser of the whole command line, and the commands by their names.

    Args:
        names: The commands to load; importing all takes longer.
    """
    parser = Parser(
        prog="hyperspace",
        description="Self-modifying agents on different models in one guarded mark space.",
        epilog=shown("pair"),
    )
    version = f"hyperspace {__version__}"
    parser.add_argument("-v", "--version", action="version", version=version)
    subparsers = parser.add_subparsers(dest="command_name", metavar="COMMAND")
    commands: dict[str, CommandParser] = {}
    for name in names:
        module = import_module(f"hyperspace.cli.commands.{name}")
        sub = subparsers.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=shown(name),
            add_help=not getattr(module, "OWN_HELP", False),
        )
        sub.surplus = getattr(module, "SURPLUS", "")
        module.add_arguments(sub)
        commands[name] = CommandParser(module, sub)
    return parser, commands
