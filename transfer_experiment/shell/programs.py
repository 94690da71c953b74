"""What common programs do with their arguments: which of them name files, and what for."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final, Literal, NamedTuple

Way = Literal["read", "list", "write", "search"]


class Use(NamedTuple):
    """A file or folder that a command is about.

    Attributes:
        way: `read` its content, `list` names in it or below it, `search` the content of all that is
            below it, or `write` it.
        path: As it stands in the command.
    """

    way: Way
    path: str


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_READ: Final = _words(
    "cat tac head tail less more nl cut sort uniq wc md5sum sha1sum sha256sum cksum diff cmp comm ",
    "xxd od hexdump strings column fold paste join bat view vim nano source . patch base64",
)
_LIST: Final = _words("ls tree du stat file test [ [[ realpath readlink")
_WRITE: Final = _words("tee touch mkdir rm rmdir chmod chown truncate unlink shred")
_COPY: Final = _words("cp mv install ln rsync scp")
_PATTERN_FIRST: Final = _words("grep egrep fgrep rg ag sed awk gawk mawk perl")
_RECURSIVE: Final = re.compile(r"-[A-Za-z]*[rR][A-Za-z]*|--(?:dereference-)?recursive")
_OPTION_WITH_VALUE: Final = {
    "head": "nc",
    "tail": "nc",
    "cut": "dfbc",
    "sort": "kto",
    "ls": "I",
    "du": "d",
    "tree": "LIP",
    "install": "mog",
    "grep": "ABCmef",
    "egrep": "ABCmef",
    "fgrep": "ABCmef",
    "rg": "ABCmgtef",
    "sed": "ef",
    "awk": "vFf",
    "perl": "e",
    "fold": "w",
    "xxd": "ls",
    "od": "ANtj",
    "stat": "cf",
    "nl": "bhfw",
    "truncate": "s",
    "touch": "dtr",
}
CONNECT: Final = _words(
    "curl wget nc ncat netcat telnet ssh ftp sftp dig nslookup host ping traceroute socat"
)


def uses(program: str, arguments: Sequence[str], *, fed: bool) -> list[Use]:
    """The files that a command names.

    Args:
        program: Name of the program, without its folder.
        arguments: Its arguments.
        fed: Whether it reads something else: a pipe, a redirection, a here-document.
    """
    if program == "find":
        places = (argument for argument in arguments if argument not in ("-H", "-L", "-P"))
        starts = list(takewhile(lambda start: not start.startswith(("-", "(", "!")), places))
        return [Use("list", start) for start in starts or ["."]]
    if program == "dd":
        ways: dict[str, Way] = {"if": "read", "of": "write"}
        pairs = (argument.partition("=") for argument in arguments)
        return [Use(ways[key], path) for key, _, path in pairs if key in ways]
    plain = _plain(program, arguments)
    if program == "git" and ("diff" in arguments or "grep" in arguments):
        return [Use("read", path) for path in plain[1:]]
    if program in _READ:
        return [Use("read", path) for path in plain]
    if program in _LIST:
        return [
            Use("list", path)
            for path in plain or (["."] if program in ("ls", "tree", "du") else [])
        ]
    if program in _WRITE:
        return [Use("write", path) for path in plain]
    if program in _COPY:
        return [Use("read", path) for path in plain[:-1]] + [Use("write", p) for p in plain[-1:]]
    if program in _PATTERN_FIRST:
        return _pattern_first(program, arguments, plain, fed=fed)
    if program in ("tar", "zip"):
        return [Use("search", path) for path in plain]
    return []


def _plain(program: str, arguments: Sequence[str]) -> list[str]:
    """The arguments that are no options, and no values of options."""
    takes = _OPTION_WITH_VALUE.get(program, "")
    plain: list[str] = []
    is_value = only_files = False
    for argument in arguments:
        if is_value:
            is_value = False
        elif only_files or not argument.startswith("-") or argument == "-":
            plain.append(argument)
        elif argument == "--":
            only_files = True
        else:
            is_value = len(argument) == 2 and argument[1] in takes
    return [path for path in plain if path not in ("-", "]", "]]")]


def _pattern_first(
    program: str, arguments: Sequence[str], plain: list[str], *, fed: bool
) -> list[Use]:
    """grep, sed and awk: the first argument is what they look for or do, not where."""
    has_script = any(
        re.match(r"-[a-zA-Z]*[ef]$|--(?:regexp|expression|file)", a) for a in arguments
    )
    files = plain if has_script else plain[1:]
    is_search = program in ("rg", "ag") or (
        program.endswith("grep") and any(map(_RECURSIVE.fullmatch, arguments))
    )
    if is_search:
        return [Use("search", path) for path in files or ([] if fed else ["."])]
    in_place = program in ("sed", "perl") and any(a.startswith("-i") for a in arguments)
    ways: tuple[Way, ...] = ("read", "write") if in_place else ("read",)
    return [Use(way, path) for path in files for way in ways]


def connects(program: str, arguments: Sequence[str]) -> bool:
    """Return True if a command asks for the network."""
    if program in ("pip", "pip3", "npm", "apt", "apt-get"):
        return "install" in arguments or "download" in arguments
    if program == "git":
        return any(word in arguments for word in ("clone", "fetch", "pull", "push", "ls-remote"))
    return program in CONNECT or (program == "getent" and "hosts" in arguments)


def lists_environment(program: str, arguments: Sequence[str]) -> bool:
    """Return True if a command prints all environment variables."""
    if program == "env":  # with a command behind it, it only sets some
        return all("=" in argument or argument.startswith("-") for argument in arguments)
    if program == "printenv":
        return True
    if program in ("set", "export", "declare"):
        return not arguments or list(arguments) in (["-p"], ["-x"], ["-px"])
    return False
