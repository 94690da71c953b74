"""Edits lists, tuples, sets and tables that stand in source text as data; other bytes stay.

A helper: it stands before a program in the text that is sent, after `surgery`. Data are constants,
names of the module, calls of those, and displays of data. An edit takes an element out, puts a
changed copy of one in, swaps two, moves one, or changes one. A table keeps its keys, and a row, a
tuple or list of numbers that is as long as its neighbours, keeps its length: in it a number changes
places with a number, and what is none becomes what stands in its column in another row. An edit is
drawn when it is made, so that a list costs no more than its text, however many edits it has.
"""

import ast
import math
import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.inside.scoring import rounded
    from hyperspace.offline.inside.surgery import Text, walk

NUMERAL = re.compile(r"(?<![\w.'\"])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.'\"])")
KINDS = ("take", "put", "put", "swap", "swap", "near", "move", "change", "change")
FIRM_KINDS = ("swap", "near", "change", "change")
FLIP = 0.1  # share of steps of a number that change its sign
OFF_ZERO = (0.1, -0.1, 0.5, -0.5, 1.0, -1.0)
SCALES = (2.0, 1.0, 1.0, 0.1, 0.01)  # of steps, as parts of their spread
WHOLE_SCALES = (1.0, 1.0, 3.0)  # the same of whole numbers, in log space: bounds lie far apart

Spans = tuple[tuple[int, int], ...]


class Listing(NamedTuple):
    """A display of data: its elements, spans of bytes, of a table its pairs.

    Attributes:
        spans: Where the elements stand.
        is_firm: Whether it keeps its length.
        least: How few elements it may have.
        columns: Of a row, where the elements stand in each column of all rows; else nothing.
    """

    spans: Spans
    is_firm: bool
    least: int
    columns: tuple[Spans, ...] = ()


@lru_cache(maxsize=2)
def listings(source: str) -> list[Listing]:
    """Every display of two or more elements that are data, outer ones first."""
    text, tree = Text(source), ast.parse(source)
    names = frozenset(names_of(tree))
    apart = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    data: dict[int, bool] = {}
    displays = [node for node in walk(tree) if elements(node) and id(node) not in apart]
    columns: dict[int, tuple[Spans, ...]] = {}
    for rows in map(rows_of, displays):
        spans = [[text.span(element) for element in elements(row)] for row in rows]
        columns |= dict.fromkeys(map(id, rows), tuple(zip(*spans, strict=True)))
    return [
        Listing(
            tuple(map(text.span, elements(node))),
            isinstance(node, ast.Dict) or id(node) in columns,
            2 if isinstance(node, ast.Tuple) else 1,
            columns.get(id(node), ()),
        )
        for node in displays
        if is_data(node, names, data)
    ]


def names_of(tree: ast.Module) -> Iterator[str]:
    """Names that the module itself defines."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case _:
                pass


def elements(node: ast.AST) -> Sequence[ast.AST]:
    """The elements of a display of at least two, of a table its values; else nothing."""
    match node:
        case ast.List(elts=parts, ctx=ast.Load()) | ast.Tuple(elts=parts, ctx=ast.Load()):
            pass
        case ast.Set(elts=parts):
            pass
        case ast.Dict(keys=keys, values=parts) if None not in keys:
            pass
        case _:
            return ()
    return parts if len(parts) > 1 else ()


def rows_of(node: ast.AST) -> Sequence[ast.AST]:
    """Elements of equal length that are tuples, or lists of numbers."""
    parts = elements(node)
    lengths = {len(elements(part)) for part in parts}
    kinds = {type(part) for part in parts}
    if len(lengths) > 1 or lengths == {0} or len(kinds) > 1:
        return ()
    inner = [leaf for part in parts for leaf in elements(part)]
    return parts if kinds == {ast.Tuple} or all(map(is_number, inner)) else ()


def is_number(node: ast.AST) -> bool:
    """Whether a node is a number, its sign included."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def is_data(node: ast.AST, names: frozenset[str], seen: dict[int, bool]) -> bool:
    """Whether all that a node consists of is data; what was asked before is in `seen`."""
    if id(node) not in seen:
        match node:
            case ast.Constant():
                parts: list[ast.AST] | None = []
            case ast.Name(id=name):
                parts = [] if name in names else None
            case ast.UnaryOp(operand=part):
                parts = [part]
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.Call(func=ast.Name() as function, args=arguments, keywords=keywords):
                parts = [function, *arguments, *(word.value for word in keywords)]
            case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Set(elts=inner):
                parts = [*inner]
            case ast.Dict(keys=keys, values=values):
                parts = [*(key for key in keys if key), *values] if None not in keys else None
            case _:
                parts = None
        seen[id(node)] = parts is not None and all(is_data(part, names, seen) for part in parts)
    return seen[id(node)]


def vary_listing(source: str, rng: random.Random, spread: float) -> str:
    """Edit one list, a long one more often; the source itself if nothing came of it."""
    known = listings(source)
    if not known:
        return source
    (listing,) = rng.choices(known, [len(listing.spans) ** 0.5 for listing in known])
    data, spans = source.encode(), listing.spans
    texts = [data[start:end].decode() for start, end in spans]
    at = rng.randrange(len(spans))
    columns = [[data[start:end].decode() for start, end in column] for column in listing.columns]
    places = [place for place in range(len(spans)) if fits(place, at, texts, columns)]
    to = rng.choice(places)
    kind = rng.choice(FIRM_KINDS if listing.is_firm else KINDS)
    match kind if len(places) > 1 else "change":
        case "take" if len(spans) > listing.least:
            edits = [taken(spans, at)]
        case "put":
            edits = [added(spans, at, changed_text(texts[to], texts, rng, spread))]
        case "move":
            texts.insert(to, texts.pop(at))
            edits = [(*span, text) for span, text in zip(spans, texts, strict=True)]
        case "change":
            others = columns[at] if columns else texts
            edits = [(*spans[at], changed_text(texts[at], others, rng, spread))]
        case _:
            to = places[(places.index(at) + 1) % len(places)] if kind == "near" else to
            edits = [(*spans[at], texts[to]), (*spans[to], texts[at])]
    varied = with_edits(data, edits)
    return varied if is_python(varied) else source


def fits(place: int, at: int, texts: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether elements may change places: of a row numbers, and words that both columns have."""
    if not columns or place == at:
        return True
    if NUMERAL.fullmatch(texts[at]):
        return NUMERAL.fullmatch(texts[place]) is not None
    return texts[at] in columns[place] and texts[place] in columns[at]


def taken(spans: Spans, at: int) -> tuple[int, int, str]:
    """The edit that takes an element out, with a comma."""
    if at + 1 < len(spans):
        return spans[at][0], spans[at + 1][0], ""
    return spans[at - 1][1], spans[at][1], ""


def added(spans: Spans, at: int, new: str) -> tuple[int, int, str]:
    """The edit that puts an element in before another one, or behind the last."""
    if at + 1 < len(spans):
        return spans[at][0], spans[at][0], f"{new}, "
    return spans[at][1], spans[at][1], f", {new}"


def changed_text(text: str, others: Sequence[str], rng: random.Random, spread: float) -> str:
    """An element with one of its numbers changed, or, if it has none, another element."""
    numerals = list(NUMERAL.finditer(text))
    if not numerals:
        return rng.choice(others)
    match = rng.choice(numerals)
    other = NUMERAL.findall(rng.choice(others))
    new = rng.choice(other) if other and rng.random() < 0.3 else stepped(match[0], rng, spread)
    return text[: match.start()] + new + text[match.end() :]


def stepped(text: str, rng: random.Random, spread: float) -> str:
    """A number some way from another: it may leave zero, reach it, or change its sign."""
    way = rng.random()
    if text.lstrip("-").isdigit():
        value = int(text)
        scaled = round(value * math.exp(rng.gauss(0, spread) * rng.choice(WHOLE_SCALES)))
        new = -value if way < FLIP else scaled if way < 0.5 else value
        return str(new if new != value else value + rng.choice((-1, 1, -1, 1, -2, 2)))
    value = float(text)
    if not value:
        new = rng.choice(OFF_ZERO) * (1 + rng.gauss(0, spread))
    elif way < FLIP:
        new = rng.choice((0.0, -value))
    else:
        new = value * (1 + rng.gauss(0, spread) * rng.choice(SCALES))
    return repr(rounded(new, text))


def with_edits(data: bytes, edits: Sequence[tuple[int, int, str]]) -> str:
    """Replace spans of bytes; of two that are equal the first counts."""
    for start, end, new in sorted(dict.fromkeys(edits), reverse=True):
        data = data[:start] + new.encode() + data[end:]
    return data.decode()


def is_python(source: str) -> bool:
    """Whether a source can be read."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True
