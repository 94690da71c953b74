"""The lines of a program that are more than notes: neither comments nor docstrings."""

import ast
from functools import lru_cache

from guards.parsing import parse_python
from transfer_experiment.similarity.cache import TEXTS_AT_HAND


@lru_cache(maxsize=TEXTS_AT_HAND)
def code_lines(source: str) -> frozenset[str]:
    """The lines without the space around them; where it is no Python, all but the comments."""
    notes = _docstring_lines(source)
    numbered = enumerate(map(str.strip, source.splitlines()), start=1)
    return frozenset(
        line
        for number, line in numbered
        if line and not line.startswith("#") and number not in notes
    )


def _docstring_lines(source: str) -> frozenset[int]:
    try:
        module = parse_python(source)
    except SyntaxError:
        return frozenset()
    return frozenset(
        number
        for node in ast.walk(module)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )
