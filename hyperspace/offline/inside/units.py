"""Takes source apart into functions, methods and constants, and moves them between sources.

A helper: it stands before a program in the text that is sent. A *unit* is a top-level function,
class, constant or import, or a method or constant of a class; its name says where it belongs
(`surcharge`, `TaskAgent.forward`). What is moved keeps its text, comments inside it included.
"""

import ast
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.inside.surgery import Text

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Unit(NamedTuple):
    """A unit: its name, whole lines from `start` to `end` (bytes), and what it refers to."""

    name: str
    start: int
    end: int
    text: str
    uses: frozenset[str]
    is_import: bool = False

    @property
    def core(self) -> str:
        """Its text, wherever it stands."""
        return textwrap.dedent(self.text).strip("\n")


def units(source: str) -> dict[str, Unit]:
    """The units of a source by name; of two with one name the last counts."""
    text = Text(source)
    return {unit.name: unit for unit in _units(ast.parse(source).body, text, "")}


def _units(body: list[ast.stmt], text: Text, prefix: str) -> Iterator[Unit]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _units(node.body, text, f"{prefix}{node.name}.")
        for name in _names(node):
            yield _unit(node, prefix + name, text)


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Import(names=found) | ast.ImportFrom(names=found):
            return [(alias.asname or alias.name).split(".")[0] for alias in found]
        case _:
            return []


def _unit(node: ast.stmt, name: str, text: Text) -> Unit:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(found.lineno for found in decorators)])
    start, end = text.starts[first - 1], min(text.starts[node.end_lineno or first], len(text.data))
    uses = frozenset(found.id for found in ast.walk(node) if isinstance(found, ast.Name))
    imported = isinstance(node, (ast.Import, ast.ImportFrom))
    return Unit(name, start, end, text.cut(start, end), uses, imported)


def is_movable(unit: Unit, own: dict[str, Unit]) -> bool:
    """Whether a unit may be moved: no whole class that the other side has too, no import."""
    is_class = textwrap.dedent(unit.text).startswith(("class ", "@")) and unit.name in own
    return not unit.is_import and not (is_class and f"{unit.name}.__init__" in own)


def differing(own: dict[str, Unit], mate: dict[str, Unit]) -> list[str]:
    """Units that the mate has and the own source has not, or not like that."""
    holders = {name for name in mate if any(other.startswith(f"{name}.") for other in mate)}
    return [
        name
        for name, unit in mate.items()
        if is_movable(unit, own)
        and not (name in holders and name in own)
        and ("." not in name or name.rpartition(".")[0] in own)
        and (name not in own or own[name].core != unit.core)
    ]


def needed(names: Iterable[str], own: dict[str, Unit], mate: dict[str, Unit]) -> list[str]:
    """These units and all that they refer to and that the own source lacks."""
    wanted, queue = dict.fromkeys(names), list(names)
    while queue:
        for used in sorted(mate[queue.pop()].uses):
            if used in mate and used not in own and used not in wanted:
                wanted[used] = None
                queue.append(used)
    return list(wanted)


def transplant(source: str, mate: dict[str, Unit], names: Iterable[str]) -> str:
    """Put units of a mate into a source: in place of those of the same name, or beside them.

    Raises:
        SyntaxError: The source cannot be read.
    """
    own = units(source)
    chosen = needed(names, own, mate)
    for name in sorted(chosen, key=lambda n: own[n].start if n in own else -1, reverse=True):
        if name in own:
            source = _replaced(source, own[name], mate[name])
    for name in reversed([name for name in chosen if name not in own]):
        source = _inserted(source, mate[name])
    return source


def _replaced(source: str, old: Unit, new: Unit) -> str:
    margin = old.text[: len(old.text) - len(old.text.lstrip())]
    data = source.encode()
    text = textwrap.indent(new.core, margin) + "\n"
    return (data[: old.start] + text.encode() + data[old.end :]).decode()


def _inserted(source: str, new: Unit) -> str:
    """Put a unit where it is defined before it is used: imports first, others before the rest."""
    holder, _, _ = new.name.rpartition(".")
    body, text = ast.parse(source).body, Text(source)
    if holder:
        node = next(n for n in body if isinstance(n, ast.ClassDef) and n.name == holder)
        at, margin = text.starts[node.end_lineno or 1], " " * node.body[0].col_offset
        piece = "\n" + textwrap.indent(new.core, margin) + "\n"
    else:
        later = [n for n in body if isinstance(n, (*FUNCTIONS, ast.ClassDef))]
        node = next(iter(later if not new.is_import else _after_heading(body)), body[-1])
        at, piece = text.starts[_first_line(node) - 1], new.core + "\n\n\n"
        piece = new.core + "\n" if new.is_import else piece
    data = source.encode()
    ending = b"" if not data[:at] or data[:at].endswith(b"\n") else b"\n"
    return (data[:at] + ending + piece.encode() + data[at:]).decode()


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(found.lineno for found in decorators)])


def _after_heading(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements after documentation and `from __future__`."""
    return [
        node
        for node in body
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
