"""Defaults of launch options from the person's own files, in TOML: `max-usd = 5`.

`hyperspace.toml` in the folder of work counts before the one in `$XDG_CONFIG_HOME/hyperspace`, and
an option on the command line before both. What a file says becomes words of the command line, which
is told, recorded and passed on whole: the recorded command is the same run wherever it is given. No
file says whom a person trusts, nor where keys go.

The folder of work may be somebody else's, so its file counts only once its content was accepted.
"""

import os
import tomllib
from argparse import ArgumentTypeError
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from guards.parsing import parse_toml
from hyperspace.kernel.errors import RunUsageError
from hyperspace.options.option import LAUNCHES, Command, Declared, Option
from hyperspace.reporting.command_line import hint

FILE: Final = "hyperspace.toml"
_NEVER: Final = (
    "--trust",
    "--key-to",
    "--extension",
    "--detach",
    "--dry-run",
    "--json",
    "--events",
)
"""The word of a person at the keyboard, and what a program asks for that reads the output."""
_ACCEPTED: Final = "accepted-defaults"  # a file for each folder: the hash of what it may say
_MOST_BYTES: Final = 10_000  # TOML of a stranger may take the square of its length to read


class Default(NamedTuple):
    """What a file says of an option.

    Attributes:
        option: The declaration.
        value: As the file has it.
        words: As a command line has it.
        file: Where it stands.
    """

    option: Option
    value: Any
    words: tuple[str, ...]
    file: Path


class DefaultsFile(NamedTuple):
    """A file with defaults.

    Attributes:
        path: Where it lies.
        defaults: What it says.
        is_accepted: Whether it counts: one's own does, the one here if its content was accepted.
    """

    path: Path
    defaults: tuple[Default, ...]
    is_accepted: bool


def default_words(command: Command, argv: Sequence[str]) -> list[str]:
    """Return what files set for a launching command that its own words do not say.

    Args:
        command: The command.
        argv: The words of its command line.

    Returns:
        Words of a command line.

    Raises:
        RunUsageError: A file cannot be read, says what it may not, or was not accepted.
    """
    from hyperspace.cli.arguments.table import declared_for

    options = [each.option for each in declared_for(command)]
    chosen: dict[str, Default] = {}
    for file in files():
        if not file.is_accepted:
            raise RunUsageError(
                f"{file.path} was not accepted by you, or was changed since: `hyperspace config` "
                "shows it, and `hyperspace config --accept` accepts it"
            )
        chosen |= {each.option.flag: each for each in file.defaults if each.option in options}
    said = {word.partition("=")[0] for word in argv}
    return [
        word
        for default in chosen.values()
        if said.isdisjoint(_names(default.option))
        for word in default.words
    ]


def files() -> list[DefaultsFile]:
    """Return the files that there are; a later one counts more.

    Raises:
        RunUsageError: One cannot be read, or says what it may not.
    """
    paths = [path for path in dict.fromkeys((_own(), here())) if os.path.lexists(path)]
    return [read_defaults(path) for path in paths]


def here() -> Path:
    """Return where the file of the folder of work would be."""
    return Path.cwd() / FILE


def configurable() -> dict[str, list[Declared]]:
    """Return the options that a file may set, by their names in it; commands may differ in one."""
    from hyperspace.cli.arguments.table import declared_for

    found: dict[str, list[Declared]] = {}
    for command in LAUNCHES:
        for declaration in declared_for(command):
            if _may_be_set(declaration.option):
                known = found.setdefault(key(declaration.option), [])
                known += [] if declaration in known else [declaration]
    return found


def key(option: Option) -> str:
    """Return an option's name in a file."""
    return option.flag.lstrip("-")


def accept() -> None:
    """Accept what the file of the folder of work says now, in place of what was accepted before.

    Raises:
        RunUsageError: There is none, or it says what it may not.
    """
    from hyperspace.kernel.files import sha256_hex, write_atomically

    content = _content(here())
    _parsed_defaults(here(), content)
    path = _accepted()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomically(path, sha256_hex(content).encode())


def read_defaults(path: Path) -> DefaultsFile:
    """Read a file.

    Raises:
        RunUsageError: It cannot be read, or says what it may not.
    """
    content = _content(path)
    is_accepted = path != here() or path == _own() or _is_accepted(content)
    return DefaultsFile(path, _parsed_defaults(path, content), is_accepted)


def _is_accepted(content: bytes) -> bool:
    from hyperspace.kernel.files import sha256_hex

    try:
        return _accepted().read_bytes() == sha256_hex(content).encode()
    except OSError:
        return False


def _accepted() -> Path:
    """Return where it says what the file of the folder of work may say: the last that was seen."""
    from hyperspace.kernel.files import sha256_hex
    from hyperspace.kernel.state.ownership import state_folder

    return state_folder() / _ACCEPTED / sha256_hex(str(here().resolve()).encode())


def _may_be_set(option: Option) -> bool:
    return not option.hidden and option.flag not in _NEVER


def _names(option: Option) -> set[str]:
    """Return what an option may be called on a command line."""
    names = {option.flag, *option.aliases}
    return names | {f"--no-{name[2:]}" for name in names} if option.kind == "either" else names


def _own() -> Path:
    base = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return (base if base.is_absolute() else Path("~/.config").expanduser()) / "hyperspace" / FILE


def _content(file: Path) -> bytes:
    from guards.scope.regular_files import Unreadable, read_whole

    try:
        content = read_whole(file)
    except Unreadable as error:
        raise RunUsageError(f"{file} {error}") from error
    if len(content) > _MOST_BYTES:
        raise RunUsageError(f"{file} has more than {_MOST_BYTES} bytes; leave some out")
    return content


def _parsed_defaults(file: Path, content: bytes) -> tuple[Default, ...]:
    try:
        said = parse_toml(content)
    except tomllib.TOMLDecodeError as error:
        raise RunUsageError(f"{file} is no TOML: {error}") from error
    return tuple(_checked(file, said))


def _checked(file: Path, said: Mapping[str, Any]) -> Iterator[Default]:
    known, named = configurable(), dict[str, str]()
    for name, value in said.items():
        other = named.setdefault(name.replace("_", "-"), name)
        if other != name:
            raise RunUsageError(f"{file}: {name} is there as {other}, too; keep one of them")
        declarations = known.get(name.replace("_", "-"))
        if declarations is None:
            raise RunUsageError(
                f"{file}: {name} is no option that a file may set; {hint(name, sorted(known))}"
            )
        why, is_read = "", False
        for declaration in declarations:
            try:
                words = tuple(_words(declaration.option, value))
            except (ValueError, ArgumentTypeError) as error:
                why = str(error)
            else:
                is_read = True
                yield Default(declaration.option, value, words, file)
        if not is_read:
            raise RunUsageError(f"{file}: {name}: {why}")


def _words(option: Option, value: Any) -> Iterator[str]:
    """Yield a value of TOML as the command line has it.

    Raises:
        ValueError: It is none of the option's; argparse's error may come instead.
    """
    if option.kind in ("switch", "either"):
        if not isinstance(value, bool):
            raise ValueError("it is true or false")
        if value or option.kind == "either":
            yield option.flag if value else f"--no-{option.flag[2:]}"
    elif value is True and option.const is not None:
        yield option.flag
    elif option.kind == "repeated":
        for each in _texts(option, value):
            yield f"{option.flag}={each}"
    elif option.kind == "several" or isinstance(option.metavar, tuple):
        yield from (option.flag, *_texts(option, value))
    else:
        (text,) = _texts(option, [value])
        yield f"{option.flag}={text}"


def _texts(option: Option, value: Any) -> Iterator[str]:
    """Yield each of several values as text, once it can be read.

    Raises:
        ValueError: One is none of the option's; argparse's error may come instead.
    """
    for each in cast("list[Any]", value) if isinstance(value, list) else [value]:
        if isinstance(each, bool) or not isinstance(each, str | int | float):
            raise ValueError("it is a text or a number")
        text = str(each)
        if option.choices and text not in option.choices:
            raise ValueError(f"there are {', '.join(option.choices)}")
        if option.parse is not None:
            option.parse(text)
        if text.startswith("-") and option.kind == "several":
            raise ValueError(f"{text!r} would be another option")
        yield text
