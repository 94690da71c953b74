"""Cuts source text open where it can be varied; what is not cut keeps every byte.

A helper: it stands before a program in the text that is sent. A *site* is a span of bytes with the
texts that could stand there instead. Which sites there are follows from the syntax tree alone, so
any Python source can be varied.
"""

import ast
import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, cast

FACTORS = (0.5, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 2.0)
STEPS = (-1, 1, -2, 2)
COMPARISONS = {
    "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="),
    "==": ("!=",), "!=": ("==",),
}  # fmt: skip
OPERATIONS = {"+": ("-",), "-": ("+",), "*": ("/", "+"), "/": ("*", "-")}
PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
CONNECTIVES = {"and": ("or",), "or": ("and",)}


class Site(NamedTuple):
    """A span of bytes and what could stand there.

    `value` is the float that stands there, if one does; `sort` says what may be done there.
    """

    start: int
    end: int
    others: tuple[str, ...]
    value: float | None = None
    sort: Literal["numbers", "structure", "words"] = "structure"


class Text:
    """Source text whose places can be found by line and column."""

    def __init__(self, source: str) -> None:
        self.data = source.encode()
        self.starts = [0]
        for line in self.data.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node stands."""
        line, column, end_line, end_column = (int(getattr(node, name)) for name in PLACE)
        return self.starts[line - 1] + column, self.starts[end_line - 1] + end_column

    def between(self, left: ast.AST, right: ast.AST) -> tuple[int, int]:
        """What stands between two nodes."""
        return self.span(left)[1], self.span(right)[0]

    def cut(self, start: int, end: int) -> str:
        """The text of a span."""
        return self.data[start:end].decode()


def put(source: str, start: int, end: int, new: str) -> str:
    """Replace a span of bytes."""
    data = source.encode()
    return (data[:start] + new.encode() + data[end:]).decode()


def tidy(value: float) -> float:
    """Round to what a person would write."""
    return float(f"{value:.3g}")


@lru_cache(maxsize=2)
def sites(source: str, labels: tuple[str, ...] = (), repertoire: str = "both") -> list[Site]:
    """Every place that can be varied, in the order in which they stand.

    The repertoire `numbers` has integers and floats only; `structure` has comparisons,
    operators, connectives, conditions and branches only; `both` has labels and truth values too.
    """
    text, tree = Text(source), ast.parse(source)
    found = [site for node in walk(tree) for site in sites_of(node, text, labels)]
    found += [site for node in ast.walk(tree) for site in deletions(node, text)]
    found = [site for site in found if repertoire in ("both", site.sort)]
    return sorted(set(found), key=lambda site: (site.start, site.end, site.others))


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that may be varied: no annotations, patterns, documentation or f-strings."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "pattern"):
            continue
        for child in cast("list[object]", value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST) and not is_apart(child):
                yield from walk(child)


def is_apart(node: ast.AST) -> bool:
    """Whether a node is documentation or an f-string."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def sites_of(node: ast.AST, text: Text, labels: tuple[str, ...]) -> Iterator[Site]:
    """The sites that belong to one node."""
    match node:
        case ast.Constant():
            yield from constants(node, text, labels)
        case ast.Compare(left=left, comparators=[right]):
            yield from operator(text, left, right, COMPARISONS)
        case ast.BinOp(left=left, right=right):
            yield from operator(text, left, right, OPERATIONS)
        case ast.BoolOp(values=[left, right]):
            yield from operator(text, left, right, CONNECTIVES)
        case ast.If(test=test) | ast.IfExp(test=test):
            start, end = text.span(test)
            yield Site(start, end, (f"not ({text.cut(start, end)})",))
        case _:
            pass


def constants(node: ast.Constant, text: Text, labels: tuple[str, ...]) -> Iterator[Site]:
    """What could stand in a constant's place."""
    start, end = text.span(node)
    value = node.value
    if isinstance(value, bool):
        yield Site(start, end, (repr(not value),), sort="words")
    elif isinstance(value, int):
        scaled = [round(value * factor) for factor in FACTORS] + [value + step for step in STEPS]
        others = tuple(dict.fromkeys(repr(v) for v in scaled if v != value))
        yield Site(start, end, others, sort="numbers")
    elif isinstance(value, float):
        moved = [tidy(value * factor) for factor in FACTORS]
        yield Site(start, end, tuple(map(repr, moved)), value, "numbers")
    elif isinstance(value, str) and value.lower() in labels:
        others = tuple(repr(label) for label in labels if label != value.lower())
        yield Site(start, end, others, sort="words")


def operator(
    text: Text, left: ast.AST, right: ast.AST, others: dict[str, tuple[str, ...]]
) -> Iterator[Site]:
    """An operator, where nothing else stands between its two sides."""
    start, end = text.between(left, right)
    known = others.get(text.cut(start, end).strip())
    if known:
        yield Site(start, end, tuple(f" {symbol} " for symbol in known))


def deletions(node: ast.AST, text: Text) -> Iterator[Site]:
    """Statements of a function's body that could be left out."""
    if isinstance(node, (ast.FunctionDef, ast.If, ast.For, ast.While)):
        for statement in node.body:
            if isinstance(statement, (ast.AugAssign, ast.If, ast.For)):
                start, end = text.span(statement)
                yield Site(start, end, ("pass",))


def vary(
    source: str, labels: tuple[str, ...], rng: random.Random, spread: float, repertoire: str
) -> str:
    """Change one place, drawn at random; the source itself if nothing can be changed."""
    places = sites(source, labels, repertoire)
    if not places:
        return source
    site = rng.choice(places)
    new = rng.choice(site.others) if site.others else ""
    if site.value is not None and rng.random() < 0.5:
        new = repr(tidy(site.value * (1 + rng.gauss(0, spread))))
    return put(source, site.start, site.end, new) if new else source
