"""The imports of this checkout, read from its files: who stands on whom."""

import ast
from collections.abc import Iterable, Iterator, Mapping
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
        for target in _named_in(name, path, files)
        if target != name
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


def layers(arrows: Graph) -> dict[str, int]:
    """The layer of each node of a graph without circles: 1 where it imports no other."""
    depth: dict[str, int] = {}
    for name in TopologicalSorter(arrows).static_order():
        depth[name] = 1 + max((depth[target] for target in arrows[name]), default=0)
    return depth


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _named_in(module: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                stem = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*stem, *filter(None, [base])])
            for alias in node.names:
                target = f"{base}.{alias.name}"
                if target in files or base in files:
                    yield target if target in files else base
