"""The house keeps its shape: no circle, and nothing imports upwards."""

from pathlib import Path

import pytest

from tests.support.imports import Import, circle, graph, imports
from tests.support.paths import ROOT

# From the top layer down; those of one line do not import each other.
LAYERS = (
    ("hyperspace.cli",),
    ("hyperspace.dashboard",),
    ("transfer_experiment",),
    ("replication",),
    ("hyperspace.reporting",),
    ("hyperspace.attacks", "hyperspace.runs"),
    ("hyperspace.research", "hyperspace.serve"),
    ("hyperspace.audit", "hyperspace.launch"),
    ("hyperspace.export", "hyperspace.extensions", "hyperspace.summaries"),
    ("hyperspace.kernel",),
    ("hyperspace.lookup", "hyperspace.options"),
    ("hyperspace.executor",),
    ("hyperspace.broker", "hyperspace.offline", "hyperspace.spending"),
    ("hyperspace.tracing", "hyperspace.workspace"),
    ("hyperspace.models", "hyperspace.tasks"),
    ("guards", "markspace"),
)
SMALL = {
    "hyperspace",
    "hyperspace.messages",
    "hyperspace.own_files",
    "hyperspace.python_file",
    "hyperspace.resolving",
    "hyperspace.wall_clock",
}
"""Modules beside the packages, which import nothing of ours."""
LAYER = {package: level for level, layer in enumerate(LAYERS) for package in layer}
TOP = sorted({package.split(".")[0] for package in LAYER})
NO_PRODUCT = {"benchmarks", "docs", "scripts", "tests"}


def test_every_package_has_a_layer() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/*.py")}
    assert folders - NO_PRODUCT == {*TOP}, "name it in LAYERS"
    files = (path.relative_to(ROOT) for path in (ROOT / "hyperspace").rglob("*.py"))
    inside = {".".join(path.with_suffix("").parts[:2]) for path in files}
    known = {package for package in LAYER if package.startswith("hyperspace.")}
    assert inside - SMALL - {"hyperspace.__init__", "hyperspace.__main__"} == known


def test_no_module_imports_itself_over_others() -> None:
    chain = circle(graph(imports(TOP)))
    assert not chain, "a circle of imports: " + " -> ".join(chain)


def test_the_host_imports_nothing_that_is_copied_into_workspaces() -> None:
    of_agents = [edge for edge in imports([*TOP, "agents"]) if edge.imported.startswith("agents.")]
    assert [edge for edge in of_agents if not edge.importer.startswith("agents.")] == []


def test_no_package_imports_from_above() -> None:
    wrong = [edge for edge in imports(TOP) if _is_upwards(edge, LAYER)]
    assert not wrong, "imports upwards: " + "; ".join(f"{a} imports {b}" for a, b in wrong)


@pytest.mark.parametrize("package", LAYER)
def test_folders_of_a_package_form_no_circle(package: str) -> None:
    depth = package.count(".") + 2
    folders = graph(imports([package.split(".")[0]]), prefix=depth, below=package)
    assert not circle(folders), "a circle of folders: " + " -> ".join(circle(folders))


def test_an_offender_is_named(tmp_path: Path) -> None:
    for name, text in {
        "low/a.py": "def f() -> None:\n    from high.b import g\n",
        "high/b.py": "from low.a import f\n",
        "high/c/d.py": "from ..b import f\n",
        "low/e.py": "from importlib import import_module\nimport_module('high.b')\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    edges = imports(["low", "high"], tmp_path)
    assert Import("low.a", "high.b") in edges, "an import inside a function counts"
    assert Import("high.c.d", "high.b") in edges, "so does a relative one"
    assert Import("low.e", "high.b") in edges, "and one by its name as text"
    assert set(circle(graph(edges))) == {"low.a", "high.b"}
    assert _is_upwards(Import("low.a", "high.b"), {"high": 0, "low": 1})
    assert not _is_upwards(Import("high.b", "low.a"), {"high": 0, "low": 1})


def _is_upwards(edge: Import, layer: dict[str, int]) -> bool:
    importer, imported = map(_package_of, edge)
    if importer == imported or imported in SMALL or importer == "hyperspace.__main__":
        return False
    return layer[imported] <= layer[importer]


def _package_of(module: str) -> str:
    """The package of `LAYERS` that a module lies in."""
    parts = module.split(".")
    return ".".join(parts[: 2 if parts[0] == "hyperspace" else 1])
