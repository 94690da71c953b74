"""What a Python program that is sent through the shell would open, as far as its text says so."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

OPENING: Final = frozenset(
    ("open", "Path", "listdir", "scandir", "walk", "glob", "iglob", "rglob", "read_text")
)
COPYING: Final = frozenset(("copy", "copy2", "copyfile", "copytree", "move", "rename", "replace"))
RUNNING: Final = frozenset(("system", "popen", "run", "Popen", "check_output", "call", "getoutput"))
CONNECTING: Final = frozenset(
    ("socket", "urllib", "urllib3", "requests", "httpx", "http", "aiohttp", "ftplib", "smtplib")
)


class Opened(NamedTuple):
    """What a program text names.

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
    """Read a program text; nothing if it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Opened()
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return Opened(
        paths=tuple(path for call in calls for path in _paths(call)),
        commands=tuple(command for call in calls for command in _commands(call)),
        environment=_reads_environment(nodes),
        network=any(name in CONNECTING for node in nodes for name in _imported(node)),
    )


def _paths(call: ast.Call) -> Iterator[str]:
    name = _name(call.func)
    if name in OPENING:
        yield from _texts(call.args[:1])
    elif name in COPYING:
        yield from _texts(call.args[:2])


def _commands(call: ast.Call) -> Iterator[str]:
    if _name(call.func) not in RUNNING or not call.args:
        return
    first = call.args[0]
    if isinstance(first, (ast.List, ast.Tuple)):
        yield " ".join(_texts(first.elts))
    else:
        yield from _texts([first])


def _texts(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _name(node: ast.expr) -> str:
    """The last part of what is called: `copy` of `shutil.copy`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "").partition(".")[0]]
    return []


def _reads_environment(nodes: list[ast.AST]) -> bool:
    """Whether `environ` stands somewhere other than before `[...]`, `.get(...)` and the like."""
    held = [node.value for node in nodes if isinstance(node, (ast.Subscript, ast.Attribute))]
    single = {id(value) for value in held if _name(value) == "environ"}
    whole = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "environ"]
    listing = ("items", "values", "copy", "keys")
    listed = any(
        isinstance(node, ast.Attribute) and node.attr in listing and _name(node.value) == "environ"
        for node in nodes
    )
    return listed or any(id(node) not in single for node in whole)
