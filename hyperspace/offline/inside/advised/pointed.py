"""Draws about half of the changes of a search where advice points, and the others anywhere.

A helper: it stands right before a program in the text that is sent, after all other helpers, and
puts itself in the place of the `vary` that stands before it. The order has `advice` too: for each
piece its passages, the newest first. A passage points to what is defined under it, and to the lines
that hold it as a name or as a string; comments and documentation hold nothing. One that is defined
nowhere and stands in many lines says nothing, and rare ones are followed more often. Of several
pieces the first counts that points anywhere; where nothing can be changed there, a change is drawn
anywhere.
"""

import ast
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hyperspace.offline.inside.surgery import Text, walk
    from hyperspace.offline.inside.surgery import vary as vary_anywhere
else:
    vary_anywhere = vary  # noqa: F821 - of the text before this one

HEEDED = 0.5  # share of changes that are drawn where advice points
MOST_DRAWS = 60  # of a change, until one lies there
COMMON = 0.25  # of the lines of code: what stands in more points nowhere

Span = tuple[int, int]


def vary_pointed(
    source: str, labels: tuple[str, ...], rng: random.Random, spread: float, repertoire: str
) -> str:
    """Change one place, half of the times where advice points."""
    pointed = spans(source)
    if pointed and rng.random() < HEEDED:
        (there,) = rng.choices(pointed, [1 / len(each) for each in pointed])
        data = source.encode()
        for _ in range(MOST_DRAWS):
            varied = vary_anywhere(source, labels, rng, spread, repertoire)
            at = difference(data, varied.encode())
            if varied != source and any(a <= at <= b for a, b in there):
                return varied
    return vary_anywhere(source, labels, rng, spread, repertoire)


@lru_cache(maxsize=4)
def spans(source: str) -> list[list[Span]]:
    """The lines, as spans of bytes, that each passage points to of the first piece that does."""
    advice: list[list[str]] = json.loads(sys.argv[1])["advice"]
    text, tree = Text(source), ast.parse(source)
    held, mentions = definitions(tree), defaultdict[str, set[int]](set)
    for name, line in mentioned(tree):
        mentions[name].add(line)
    most = max(1, COMMON * len({line for lines in mentions.values() for line in lines}))
    for name, lines in mentions.items():
        if len(lines) <= most or name in held:
            held[name] = held.get(name, set()) | lines
    for passages in advice:
        if there := [sorted(held[passage]) for passage in passages if passage in held]:
            starts = text.starts
            return [[(starts[line - 1], starts[line] - 1) for line in lines] for lines in there]
    return []


def definitions(tree: ast.Module) -> dict[str, set[int]]:
    """What the module defines, with the numbers of its lines."""
    held: dict[str, set[int]] = {}
    for node in tree.body:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.Assign(targets=[ast.Name(id=name)])
                | ast.AnnAssign(target=ast.Name(id=name))
            ):
                held[name] = {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
            case _:
                pass
    return held


def mentioned(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names and strings, each with the number of a line that it stands in."""
    for node in walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str() as name):
                yield name, node.lineno
            case _:
                pass


def difference(before: bytes, after: bytes) -> int:
    """The first byte at which two texts differ."""
    pairs = zip(before, after, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(before), len(after)))


vary = vary_pointed
