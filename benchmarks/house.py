"""How large the house is, and how much of it one has to know: `python -m benchmarks house`.

Counted in files of git: product code is all Python, JavaScript, CSS and HTML but tests, benchmarks
and libraries of others. What a pair runs is counted in a pair of two agents and two generations.
What a start costs, `python -m benchmarks startup` says.
"""

import ast
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PRODUCT: Final = (".py", ".js", ".css", ".html")
ELSEWHERE: Final = ("tests/", "benchmarks/", "hyperspace/dashboard/vendor/")
KERNEL: Final = "hyperspace/kernel/"
RECORDS: Final = frozenset({"NamedTuple", "Struct", "TypedDict", "Protocol"})
PAIR: Final = ("pair", "--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
# Written into the child: what is called there, by file and qualified name, and what is imported.
TRACED: Final = """
import json, os, sys, threading
root, out, words = sys.argv[1], sys.argv[2], sys.argv[3:]
called = set()
def note(frame, event, _):
    if event == "call" and frame.f_code.co_flags & 1:  # of a function, not of a class or a file
        called.add((frame.f_code.co_filename, frame.f_code.co_qualname))
threading.setprofile(note)
sys.setprofile(note)
from hyperspace.cli.main import main
code = main(words)
sys.setprofile(None)
ours = [each for each in called if each[0].startswith(root) and "/.venv" not in each[0]]
ours = [each for each in ours if not each[1].startswith("<")]
files = [getattr(m, "__file__", None) or "" for m in list(sys.modules.values())]
modules = [f for f in files if f.startswith(root) and "/.venv" not in f]
json.dump([len(ours), len({f for f, _ in ours}), len(modules)], open(out, "w"))
sys.exit(code)
"""


def main() -> None:
    """Print the house's figures."""
    files = list(_product_files())
    lines = {path: _lines(path) for path in files}
    kernel = [path for path in files if path.startswith(KERNEL)]
    called, ran, modules = _what_a_pair_runs()
    trees = [ast.parse((ROOT / path).read_bytes()) for path in files if path[-3:] == ".py"]
    python = sum(count for path, count in lines.items() if path.endswith(".py"))
    records = sum(map(_records, trees))
    once, functions = map(sum, zip(*map(_private_with_one_caller, trees), strict=True))
    print(f"product: {sum(lines.values()):,} lines in {len(files):,} files")
    print(f"{KERNEL}: {sum(lines[path] for path in kernel):,} lines in {len(kernel)} files")
    print(f"a pair runs {called:,} functions in {ran} files, and imports {modules} modules")
    print(f"records: {1000 * records / python:.1f} in 1,000 lines of Python")
    print(f"private functions with one caller: {once / functions:.0%} of {functions:,} functions")
    for name, count in Counter(map(_package, files)).most_common():
        print(f"  {name}: {sum(lines[p] for p in files if _package(p) == name):,} in {count}")


def _product_files() -> Iterator[str]:
    command = ["git", "-C", str(ROOT), "ls-files", "-z"]
    names = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    for name in names.split("\0"):
        if name.endswith(PRODUCT) and not name.startswith(ELSEWHERE):
            yield name


def _package(path: str) -> str:
    parts = path.split("/")[:-1]
    return "/".join(parts[: 2 if parts[0] == "hyperspace" else 1])


def _lines(path: str) -> int:
    return (ROOT / path).read_bytes().count(b"\n")


def _records(tree: ast.Module) -> int:
    """How many classes hold named fields and are no exceptions."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return sum(bool(RECORDS & set(_names(each.bases))) or _is_dataclass(each) for each in classes)


def _is_dataclass(of: ast.ClassDef) -> bool:
    return "dataclass" in set(_names(of.decorator_list))


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                yield each.id
            elif isinstance(each, ast.Attribute):
                yield each.attr


def _private_with_one_caller(tree: ast.Module) -> tuple[int, int]:
    """Count private functions that are named once beside their definition, and all functions."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = [node.name for node in ast.walk(tree) if isinstance(node, kinds)]
    private = [name for name in names if name[0] == "_" and not name.endswith("__")]
    uses = Counter(_names([tree]))
    return sum(uses[name] == 1 for name in private), len(names)


def _what_a_pair_runs() -> list[int]:
    """Functions and files of ours that are run by a pair, and modules that it imports."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "called.json"
        words = (*PAIR, "--generations", "2", "--results", folder, "--seed", "1")
        command = [sys.executable, "-c", TRACED, f"{ROOT}/", str(out), *words]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        return json.loads(out.read_text("utf-8"))
