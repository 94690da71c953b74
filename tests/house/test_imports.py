"""The house keeps its shape: no circle, and nothing imports upwards."""

from pathlib import Path

import pytest

from tests.support.imports import Import, circle, graph, imports
from tests.support.paths import ROOT

# From the top floor down; packages of one line do not import each other, but for what BESIDE names.
FLOORS = (
    ("hyperspace",),
    ("dashboard",),
    ("transfer_experiment",),
    ("replication",),
    ("reporting",),
    ("attacks", "runs"),
    ("research",),
    ("evolution",),
    ("executor",),
    ("agents", "domains"),
    ("guards", "markspace"),
)
BESIDE = {("agents", "domains")}
PACKAGES = [package for floor in FLOORS for package in floor if (ROOT / package).is_dir()]
NO_PRODUCT = {"tests", "benchmarks", "docs", "scripts"}


def test_every_package_has_a_floor() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/*.py")} - NO_PRODUCT
    assert folders == set(PACKAGES), "name it in FLOORS, and in docs/architecture.md"


def test_no_module_imports_itself_over_others() -> None:
    chain = circle(graph(imports(PACKAGES)))
    assert not chain, "a circle of imports: " + " -> ".join(chain)


def test_no_package_imports_from_above() -> None:
    floor = {package: level for level, floor in enumerate(FLOORS) for package in floor}
    wrong = [edge for edge in imports(PACKAGES) if _is_upwards(edge, floor)]
    assert not wrong, "imports upwards: " + "; ".join(f"{a} imports {b}" for a, b in wrong)


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_of_a_package_form_no_circle(package: str) -> None:
    rooms = graph(imports([package]), prefix=2, below=package)
    assert not circle(rooms), "a circle of rooms: " + " -> ".join(circle(rooms))


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


def _is_upwards(edge: Import, floor: dict[str, int]) -> bool:
    importer, imported = (name.split(".")[0] for name in edge)
    if importer == imported or (importer, imported) in BESIDE:
        return False
    return floor[imported] <= floor[importer]
