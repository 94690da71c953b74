"""The `hyperspace` command: finds the subcommand and turns its outcome into an exit code.

Exit codes: 0 done, 1 failed, 2 used wrongly, 130 stopped.
"""

import argparse
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from hyperspace import INTERRUPTED
from hyperspace.cli.parser import COMMANDS, CommandParser, build
from hyperspace.cli.printing.terminal import results

if TYPE_CHECKING:
    from hyperspace.options.option import Command

LAUNCH: Final = ("pair", "solo", "fleet", "arena", "levels")
PLAY: Final = (*LAUNCH, "research", "resume", "rubric")
_LOADS_DOMAINS: Final = frozenset({*PLAY, "replay", "play", "domains"})
_MACHINE_READ: Final = frozenset({"--json", "--events"})
_OF_SET: Final = "--of-set"  # a set adds its words to those of its person
_HELP: Final = frozenset({"-h", "--help", "--help-all"})


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    asks_help = bool(argv) and argv[0] == "help"
    if asks_help:
        argv = [*argv[1:], "--help"]
    named = next((word for word in argv if not word.startswith("-")), None)
    parser, commands = build((named,) if named in COMMANDS else COMMANDS)
    if asks_help:
        _check_words(parser, commands, argv[:-1])
    if named in LAUNCH and _HELP.isdisjoint(argv):
        try:
            argv = _with_defaults(named, argv)
        except Exception as error:
            return _told(error, ())
    if named in commands:
        commands[named].parser.takes_last = _OF_SET in argv
    try:
        args = parser.parse_args(argv)
    except OSError as error:  # help was asked for, and cannot be written
        return _told(error, ())
    if args.command_name is None:
        parser.print_help()
        return 2
    return _guarded(argv, commands[args.command_name], args)


def is_read_by_a_program(argv: Sequence[str]) -> bool:
    """Return whether a command line loads a domain, which may print, and answers in JSON."""
    return not (_LOADS_DOMAINS.isdisjoint(argv) or _MACHINE_READ.isdisjoint(argv))


def _check_words(
    parser: argparse.ArgumentParser, commands: Mapping[str, CommandParser], words: Sequence[str]
) -> None:
    """Refuse what is no word of a command, which `--help` would pass over."""
    depth = len(words)
    if words and words[0] in commands:
        depth = 2 if hasattr(commands[words[0]].module, "ACTIONS") else 1
    options = [word for word in words if word.startswith("-")]
    for word in (*options, *words[depth:]):
        parser.error(f"unexpected argument {word!r}; only words of a command follow help")


def _with_defaults(command: str, argv: Sequence[str]) -> Sequence[str]:
    """Return a command line with what files say beside it, and tell that.

    Raises:
        RunUsageError: A file cannot be read, says what it may not, or was not accepted.
    """
    from hyperspace.cli.defaults import FILE, default_words

    at = argv.index(command) + 1
    words = default_words(cast("Command", command), argv[at:])
    if words and _OF_SET not in argv:
        print(f"{FILE}: {' '.join(map(shlex.quote, words))}", file=sys.stderr)
    return [*argv[:at], *words, *argv[at:]]


def _guarded(argv: Sequence[str], command: CommandParser, args: argparse.Namespace) -> int:
    try:
        args.argv = ("hyperspace", *argv)
        code = int(command.module.run(args))
        results().flush()
        return code
    except KeyboardInterrupt:
        plays = args.command_name in PLAY and not getattr(args, "dry_run", False)
        told = "; the same command goes on where it was" if plays else ""
        print(f"\nhyperspace: stopped{told}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has left; nothing more can be said on it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), results().fileno())
        return 1
    except Exception as error:  # the border to the person: a known failure is a sentence
        return _told(error, vars(args).values())


def _told(error: Exception, values: Iterable[Any]) -> int:
    """Tell a known failure, and return its exit code; any other is raised again."""
    from pathlib import Path

    from hyperspace.cli.failures import explain

    failure = explain(error, (value for value in values if isinstance(value, Path)))
    if failure is None:
        raise error
    print(f"hyperspace: {failure.message}", file=sys.stderr)
    return failure.code
