"""From declarations of options to argparse and back (`hyperspace.options.option`)."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final, NoReturn

import msgspec
from msgspec import UNSET

from hyperspace.options.option import GROUPS, Command, Declared, declared, inner_record
from hyperspace.reporting.command_line import Parser

Records = tuple[type[msgspec.Struct], ...]
COMMON_HELP: Final = "show the options that people use most, and end"
ALL_HELP: Final = "show all options by groups, and end"


def add_options(parser: argparse.ArgumentParser, command: Command, records: Records) -> None:
    """Add every option that the fields of some records declare for a command, by groups."""
    for name, options in _grouped(command, records):
        group = parser.add_argument_group(name, GROUPS[name])
        for option in options:
            _add(group, option)


def add_launch(parser: argparse.ArgumentParser, command: Command, records: Records) -> None:
    """Add a launching command's options, `--help` with the common ones, and `--help-all`.

    Args:
        parser: Of the command, made without a `--help`.
        command: Which one.
        records: Whose fields declare its options.
    """
    _add_helps(parser, command, records)
    add_options(parser, command, records)
    words = [parser.prog]
    for _, options in _grouped(command, records):
        for required in (declaration for declaration in options if declaration.required):
            metavar = required.option.metavar or required.option.name.upper()
            words += [required.option.flag, *([metavar] if isinstance(metavar, str) else metavar)]
    parser.usage = " ".join([*words, "[options]"])


def values(
    args: argparse.Namespace, record: type[msgspec.Struct], command: Command
) -> dict[str, Any]:
    """Return what parsed arguments say of a record, by its fields; records within it are made."""
    result: dict[str, Any] = {}
    inner = {field.name: inner_record(field.type) for field in msgspec.structs.fields(record)}
    for declaration in declared(record):
        option = declaration.option
        if "." in declaration.field or command not in option.commands:
            continue
        if hasattr(args, option.name):
            value = getattr(args, option.name)
            result[declaration.field] = value if option.finish is None else option.finish(value)
    for name, below in inner.items():
        if below is not None and name not in result and declared(below):
            result[name] = below(**values(args, below, command))
    return result


def option_names(option: Declared) -> tuple[str, ...]:
    """Return what an option may be called on a command line."""
    names = (option.option.flag, *option.option.aliases)
    both = option.option.kind == "either"
    return tuple(n for name in names for n in ([name, f"--no-{name[2:]}"] if both else [name]))


def help_text(option: Declared) -> str:
    """Return what an option does, and what holds where it is not given."""
    told = option.option.default_text
    if told is None and option.option.kind == "value":
        told = "" if option.unsaid in (None, UNSET) or option.required else str(option.unsaid)
    return f"{option.option.help} (default: {told})" if told else option.option.help


def _grouped(command: Command, records: Records) -> Iterator[tuple[str, list[Declared]]]:
    chosen = [
        option for record in records for option in declared(record)
        if command in option.option.commands
    ]  # fmt: skip
    for name in GROUPS:
        if options := [option for option in chosen if option.option.group == name]:
            yield name, options


def _add(group: Any, declaration: Declared) -> None:
    option, unsaid = declaration.option, declaration.unsaid
    more: dict[str, Any] = {
        "dest": option.name,
        "default": argparse.SUPPRESS if unsaid is UNSET else unsaid,
        "help": argparse.SUPPRESS if option.hidden else help_text(declaration),
    }
    if option.kind == "switch":
        more |= {"action": "store_const", "const": option.const}
    elif option.kind == "either":
        more |= {"action": argparse.BooleanOptionalAction}
    else:
        more |= {"metavar": option.metavar, "type": _reader(option.parse)}
        more |= {"choices": option.choices or None, "required": declaration.required}
        if option.kind == "repeated":
            more |= {"action": "append", "default": []}
        elif option.kind == "several":
            more |= {"nargs": "+"}
        elif option.const is not None:
            more |= {"nargs": "?", "const": option.const}
        elif isinstance(option.metavar, tuple):
            more |= {"nargs": len(option.metavar)}
    group.add_argument(option.flag, *option.aliases, **more)


def _reader(parse: Any) -> Any:
    """Return a parser that argparse takes the message of: a type's own is told by argparse."""
    if parse is None:
        return _word
    if isinstance(parse, type):
        return parse

    def read(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _word(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("an empty word; leave the option out")
    return text


def _add_helps(parser: argparse.ArgumentParser, command: Command, records: Records) -> None:
    def common() -> str:
        """Return help about the common options alone."""
        short = Parser(
            prog=parser.prog,
            usage=parser.usage,
            description=parser.description,
            epilog=parser.epilog,
            add_help=False,
        )
        for _, options in _grouped(command, records):
            for option in options:
                if command in option.option.common:
                    _add(short, option)
        short.add_argument("--help-all", action="store_true", help=ALL_HELP)
        return short.format_help()

    parser.add_argument("-h", "--help", action=_Print, const=common, help=COMMON_HELP)
    parser.add_argument("--help-all", action=_Print, const=parser.format_help, help=ALL_HELP)


class _Print(argparse.Action):
    """Prints the text that its constant returns, and ends."""

    def __init__(self, option_strings: Sequence[str], dest: str, const: Any, help: str) -> None:  # noqa: A002  argparse's word
        super().__init__(option_strings, dest, 0, const, argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> NoReturn:
        """Print and end."""
        sys.stdout.write(self.const())
        parser.exit()
