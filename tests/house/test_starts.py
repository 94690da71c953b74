"""A Python that the product starts imports nothing of the working folder: it may be anybody's."""

import ast
from collections.abc import Iterator

from tests.support.paths import ROOT, files_of_git

APART = ("tests/", "benchmarks/", "docs/", "agents/runtime/")  # the last runs inside a sandbox


def starts(source: str) -> Iterator[list[ast.expr]]:
    """Command lines that begin with our interpreter, or with the name that stands for it."""
    for node in ast.walk(ast.parse(source)):
        words = node.elts if isinstance(node, ast.List | ast.Tuple) else []
        if len(words) > 1 and ast.unparse(words[0]) in ("sys.executable", "PYTHON"):
            yield words


def keeps_out(second: ast.expr) -> bool:
    word = second.value if isinstance(second, ast.Constant) else ""
    return isinstance(word, str) and word[:1] == "-" and bool(set(word) & {"P", "I"})


def test_each_start_of_a_python_keeps_the_working_folder_out() -> None:
    product = [path for path in files_of_git("--cached") if path.endswith(".py")]
    found = [
        (path, words)
        for path in product
        if not path.startswith(APART)
        for words in starts((ROOT / path).read_text("utf-8"))
    ]
    assert len(found) >= 8
    assert [path for path, words in found if not keeps_out(words[1])] == []
