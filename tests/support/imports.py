"""The imports of this checkout, read from its files: who stands on whom."""

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from tests.support.paths import ROOT

Graph = Mapping[str, frozenset[str]]


class Import(NamedTuple):
    """One module that names another.

    Attributes:
        importer: The dotted module whose file has the statement.
        imported: The dotted module that it names.
    """

    importer: str
    imported: str


def modules(package: str, root: Path = ROOT) -> dict[str, Path]:
    """Every module below a top-level package, dotted name to file."""
    files = sorted((root / package).rglob("*.py"))
    return {_dotted(path.relative_to(root)): path for path in files}


def imports(packages: Iterable[str], root: Path = ROOT) -> list[Import]:
    """Every import of one module of these packages by another, also those inside functions."""
    files = {name: path for package in packages for name, path in modules(package, root).items()}
    return [
        Import(name, target)
        for name, path in files.items()
        for target in {_module_of(named, files) for named in _named_in(name, path)} - {name, ""}
    ]


def graph(edges: Iterable[Import], prefix: int | None = None, below: str = "") -> Graph:
    """Imports as a graph of modules, or of the rooms that the modules lie in.

    Args:
        edges: The imports.
        prefix: How many parts of a dotted name tell the room; None for whole modules.
        below: Keep only imports between rooms below this package.
    """
    arrows: dict[str, set[str]] = {}
    for edge in edges:
        importer, imported = (".".join(name.split(".")[:prefix]) for name in edge)
        if all(name.startswith(below + "." * bool(below)) for name in (importer, imported)):
            targets = arrows.setdefault(importer, set())
            arrows.setdefault(imported, set())
            if importer != imported:
                targets.add(imported)
    return {name: frozenset(targets) for name, targets in arrows.items()}


def circle(arrows: Graph) -> list[str]:
    """A circle of imports, first name again at the end; empty where there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _module_of(named: str, files: Mapping[str, Path]) -> str:
    """The module that a dotted name is, or lies in; empty where it is none of these."""
    return next((name for name in (named, named.rpartition(".")[0]) if name in files), "")


@cache
def _named_in(module: str, path: Path) -> frozenset[str]:
    """Every dotted name that a file imports: modules, and what is taken out of them."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, node.module or ""]).rstrip(".") if node.level else node.module
            names |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            literals = (a.value for a in node.args if isinstance(a, ast.Constant))
            names |= {text for text in literals if isinstance(text, str)}
    return frozenset(names)
