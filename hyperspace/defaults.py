"""Defaults of launch options from the person's own files, in TOML: `max-usd = 5`.

`hyperspace.toml` in the folder of work counts before the one in `$XDG_CONFIG_HOME/hyperspace`, and
an option on the command line before both. A file may say where runs lie, how they are played and
what they may cost, never what a run is: the same command is the same run wherever it is given.

The folder of work may be somebody else's, so its file counts only once its content was accepted.
"""

import tomllib
from argparse import ArgumentTypeError
from collections.abc import Iterator, Mapping
from os import environ
from pathlib import Path
from typing import Any, Final, NamedTuple

from evolution.errors import RunUsageError
from evolution.state.options.option import Command, Declared, Option
from reporting.command_line import hint

FILE: Final = "hyperspace.toml"
_GROUPS: Final = ("set", "limits", "results")  # of those options that count for one start
_ACCEPTED: Final = "accepted-defaults"  # a file for each folder: the hash of what it may say
_MOST_BYTES: Final = 10_000  # TOML of a stranger may take the square of its length to read


class Default(NamedTuple):
    """What a file says of an option.

    Attributes:
        option: The declaration.
        value: As a command line would give it, parsed.
        file: Where it stands.
    """

    option: Option
    value: Any
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


def defaults(command: Command) -> dict[str, Any]:
    """Return what files set for a launching command, by names among its parsed arguments.

    Raises:
        RunUsageError: A file cannot be read, says what it may not, or was not accepted.
    """
    values: dict[str, Any] = {}
    for file in files():
        if not file.is_accepted:
            raise RunUsageError(
                f"{file.path} was not accepted by you, or was changed since: `hyperspace config` "
                "shows it, and `hyperspace config --accept` accepts it"
            )
        values |= {d.option.name: d.value for d in file.defaults if command in d.option.commands}
    return values


def files() -> list[DefaultsFile]:
    """Return the files that there are; a later one counts more.

    Raises:
        RunUsageError: One cannot be read, or says what it may not.
    """
    paths = [path for path in dict.fromkeys((_own(), here())) if path.exists()]
    return [_read_file(path) for path in paths]


def here() -> Path:
    """Return where the file of the folder of work would be."""
    return Path.cwd() / FILE


def configurable() -> dict[str, Declared]:
    """Return the options that a file may set, by their names in it."""
    from evolution.state.options.option import declared
    from hyperspace.arguments.table import RECORDS

    options = [option for record in RECORDS for option in declared(record)]
    return {key(o.option): o for o in options if _may_be_set(o.option)}


def key(option: Option) -> str:
    """Return an option's name in a file."""
    return option.flag.lstrip("-")


def accept() -> None:
    """Accept what the file of the folder of work says now, in place of what was accepted before.

    Raises:
        RunUsageError: There is none, or it says what it may not.
    """
    from evolution.files import sha256_hex, write_atomically

    content = _content(here())
    _parsed_defaults(here(), content)
    path = _accepted()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomically(path, sha256_hex(content).encode())


def _read_file(path: Path) -> DefaultsFile:
    content = _content(path)
    is_accepted = path != here() or path == _own() or _is_accepted(content)
    return DefaultsFile(path, _parsed_defaults(path, content), is_accepted)


def _is_accepted(content: bytes) -> bool:
    from evolution.files import sha256_hex

    try:
        return _accepted().read_bytes() == sha256_hex(content).encode()
    except OSError:
        return False


def _accepted() -> Path:
    """Return where it says what the file of the folder of work may say: the last that was seen."""
    from evolution.files import sha256_hex
    from evolution.state.ownership import state_folder

    return state_folder() / _ACCEPTED / sha256_hex(str(here().resolve()).encode())


def _may_be_set(option: Option) -> bool:
    recorded = option.kept in ("record", "limits")
    return recorded or (option.kept == "start" and option.group in _GROUPS)


def _own() -> Path:
    base = Path(environ.get("XDG_CONFIG_HOME", ""))
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
        said: Mapping[str, Any] = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:  # TOML's error and Unicode's are ValueErrors
        raise RunUsageError(f"{file} is no TOML: {error}") from error
    return tuple(_checked(file, said))


def _checked(file: Path, said: Mapping[str, Any]) -> Iterator[Default]:
    known = configurable()
    for name, value in said.items():
        declaration = known.get(name.replace("_", "-"))
        if declaration is None:
            raise RunUsageError(
                f"{file}: {name} is no option that a file may set; {hint(name, sorted(known))}"
            )
        try:
            yield Default(declaration.option, _parsed(declaration, value), file)
        except (ValueError, ArgumentTypeError) as error:
            raise RunUsageError(f"{file}: {name}: {error}") from error


def _parsed(declaration: Declared, value: Any) -> Any:
    """Parse a value of TOML as the command line would.

    Raises:
        ValueError: It is none of the option's; argparse's error may come instead.
    """
    option = declaration.option
    if option.kind in ("switch", "either"):
        if not isinstance(value, bool):
            raise ValueError("it is true or false")
        return value
    if value is True and option.const is not None:
        return option.const
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("it is a text or a number")
    text = str(value)
    if option.choices and text not in option.choices:
        raise ValueError(f"there are {', '.join(option.choices)}")
    return text if option.parse is None else option.parse(text)
