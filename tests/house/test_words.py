"""Names and pieces: one public class a name, locals that name the thing, few helpers of one use."""

import ast
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.test_imports import PACKAGES
from tests.support.imports import modules
from tests.support.paths import ROOT

FILES = [path for package in PACKAGES for path in modules(package).values()]
# They say that something is there, not what it is.
EMPTY_NAMES = frozenset({"found", "one", "asked", "known", "place"})
ALLOWED_IN_10_000_LINES = 10
SINGLE_CALLERS = 0.2  # of all functions: a reader reads down, and does not hop
# Same code, same name: each is what agents are shown, and imports nothing of ours.
SHOWN_TO_AGENTS = ("agents/runtime", "agents/seeds")
SEED = "seed_task_agent.py"  # so is the file of that name in a domain's folder


class FileFacts(NamedTuple):
    """What a source file has, as one reading of it tells.

    Attributes:
        classes: Public classes, each with its line.
        empty: Lines that bind a variable or a parameter to a name that says nothing.
        functions: Names of all functions.
        uses: How often each name is used.
    """

    classes: list[tuple[str, int]]
    empty: list[int]
    functions: list[str]
    uses: Counter[str]


def test_no_two_public_classes_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in _ours():
        for name, line in _facts(path).classes:
            places[name].append(f"{path.relative_to(ROOT)}:{line}")
    twice = {name: lines for name, lines in places.items() if len(lines) > 1}
    assert not twice, twice


def test_local_names_name_the_thing() -> None:
    lines = sum(path.read_text("utf-8").count("\n") for path in _ours())
    bound = [f"{path.relative_to(ROOT)}:{line}" for path in _ours() for line in _facts(path).empty]
    assert len(bound) * 10_000 < ALLOWED_IN_10_000_LINES * lines, bound


def test_few_private_functions_have_a_single_caller() -> None:
    functions, single = 0, list[str]()
    for path in FILES:
        names, uses = _facts(path).functions, _facts(path).uses
        functions += len(names)
        single += [f"{path.relative_to(ROOT)} {name}" for name in names if _is_single(name, uses)]
    share = len(single) / functions
    assert share < SINGLE_CALLERS, f"{len(single)} of {functions}: {', '.join(single)}"


@pytest.mark.parametrize(
    "code",
    ["found = 1", "def f(one: int) -> None: ...", "for place in (): ...", "[one for one in ()]"],
)
def test_each_way_to_bind_a_name_counts(code: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(code)
    assert _facts(tmp_path / "a.py").empty == [1]


def _is_single(name: str, uses: Counter[str]) -> bool:
    return name.startswith("_") and not name.startswith("__") and uses[name] == 1


def _ours() -> list[Path]:
    shown = tuple(str(ROOT / folder) for folder in SHOWN_TO_AGENTS)
    return [path for path in FILES if not str(path).startswith(shown) and path.name != SEED]


@cache
def _facts(path: Path) -> FileFacts:
    facts = FileFacts([], [], [], Counter())
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.ClassDef() if not node.name.startswith("_"):
                facts.classes.append((node.name, node.lineno))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                facts.functions.append(node.name)
            case ast.Name():
                facts.uses[node.id] += 1
                if isinstance(node.ctx, ast.Store) and node.id in EMPTY_NAMES:
                    facts.empty.append(node.lineno)
            case ast.Attribute():
                facts.uses[node.attr] += 1
            case ast.arg() if node.arg in EMPTY_NAMES:
                facts.empty.append(node.lineno)
            case _:
                pass
    return facts
