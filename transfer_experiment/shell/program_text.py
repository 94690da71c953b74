"""What a Python program that is sent through the shell would open, as far as its text says so.

By tokens, not by a syntax tree: the parser recurses, and a hostile text must not bring the host
down. A path counts where it stands as a plain string in the call that opens it.
"""

import ast
import io
import tokenize
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from tokenize import TokenInfo
from typing import Final, NamedTuple

OPENING: Final = frozenset(
    ("open", "Path", "listdir", "scandir", "walk", "glob", "iglob", "rglob", "read_text")
)
COPYING: Final = frozenset(("copy", "copy2", "copyfile", "copytree", "move", "rename", "replace"))
RUNNING: Final = frozenset(("system", "popen", "run", "Popen", "check_output", "call", "getoutput"))
CONNECTING: Final = frozenset(
    ("socket", "urllib", "urllib3", "requests", "httpx", "http", "aiohttp", "ftplib", "smtplib")
)
_LISTING: Final = frozenset(("items", "values", "copy", "keys"))
_LAYOUT: Final = frozenset((tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT))
_MOST_WORDS: Final = 50  # of a command that is given as a list


class Opened(NamedTuple):
    """The files and commands that a program text names.

    Attributes:
        paths: Files and folders that it opens, lists or copies.
        commands: Shell commands that it runs.
        environment: Whether it reads all environment variables, not single ones.
        network: Whether it uses a module that connects.
    """

    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    environment: bool = False
    network: bool = False


@lru_cache(maxsize=64)  # an agent sends the same program again and again
def opened(source: str) -> Opened:
    """Read a program text, up to where it stops being Python."""
    tokens: list[TokenInfo] = []
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type not in _LAYOUT:
                tokens.append(token)
    paths: list[str] = []
    commands: list[str] = []
    environment = network = False
    for index, token in enumerate(tokens):
        if token.type != tokenize.NAME:
            continue
        following = tokens[index + 1 : index + 2 * _MOST_WORDS]
        if token.string in OPENING:  # the argument that a call opens; of one that copies both
            paths += _strings(following)[:1]
        elif token.string in COPYING:
            paths += _strings(following)[:2]
        commands += _command(token.string, following)
        environment = environment or (token.string == "environ" and _is_whole(following))
        network = network or (
            token.string in CONNECTING and _is_imported(tokens[max(0, index - 9) : index])
        )
    return Opened(tuple(paths), tuple(commands), environment, network)


def _command(name: str, following: Sequence[TokenInfo]) -> list[str]:
    if name not in RUNNING:
        return []
    if len(following) > 1 and following[1].string in ("[", "("):
        words = _strings(following[1:])
        return [" ".join(words)] if words else []
    return _strings(following)[:1]


def _strings(tokens: Sequence[TokenInfo]) -> list[str]:
    """The plain strings that an argument list or a list begins with."""
    values: list[str] = []
    for index in range(1, len(tokens), 2):
        before, token = tokens[index - 1 : index + 1]
        if before.string not in ("(", "[", ",") or token.type != tokenize.STRING:
            break
        try:
            value = ast.literal_eval(token.string)
        except (SyntaxError, ValueError):
            break
        if not isinstance(value, str):  # bytes
            break
        values.append(value)
    return values


def _is_whole(following: Sequence[TokenInfo]) -> bool:
    """Return True if `environ` stands for all variables: before no `[...]` or `.get(...)`."""
    sign = following[0].string if following else ""
    if sign not in ("[", "."):
        return True
    return sign == "." and any(token.string in _LISTING for token in following[1:2])


def _is_imported(before: Sequence[TokenInfo]) -> bool:
    """Return True if a name stands in an import: behind `import` or `from` in one statement."""
    for token in reversed(before):
        if token.string in ("import", "from"):
            return True
        if token.type != tokenize.NAME and token.string not in (",", "."):
            return False
    return False
