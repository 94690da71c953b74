"""Climbs on labelled items as `evolve` does, and changes the code where advice points.

Helpers: edits, surgery, bench, judging. Words of advice that are names in the code say where: the
functions and constants of that name, or else the lines that hold it. Of several pieces of advice
the first counts that names anything; where none does, the whole code is searched.

Order: {"code", "items", "trials", "spread", "seed", "advice"}; advice is lists of words.
Result: {"status", "before", "after", "items", "old", "new", "places"}; losses are means.
"""

import ast
import keyword
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.offline.edits import smallest_edit
    from agents.offline.inside.bench import asks_model, labels_of, read_items, run
    from agents.offline.inside.judging import Judge, affordable
    from agents.offline.inside.surgery import Text, vary

MOST_DRAWS = 60  # of a change, until one lies where advice points


def places(source: str, words: list[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """The names among some words, and the spans of bytes in the code that they point to."""
    text, wanted = Text(source), set(words)
    units = {
        name: (text.starts[node.lineno - 1], text.starts[node.end_lineno or node.lineno] - 1)
        for node in ast.parse(source).body
        for name in names_of(node)
    }
    named = sorted(wanted & set(units))
    if named:
        return named, [units[name] for name in named]
    lines = source.encode().split(b"\n")
    known = {word for line in lines for word in re.findall(r"\w{3,}", line.decode())} & wanted
    known -= {*keyword.kwlist}
    spans: list[tuple[int, int]] = []
    at = 0
    for line in lines:
        if known & set(re.findall(r"\w+", line.decode())):
            spans.append((at, at + len(line)))
        at += len(line) + 1
    return sorted(known), spans


def names_of(node: ast.stmt) -> list[str]:
    """What a statement of the module defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def difference(before: bytes, after: bytes) -> int:
    """The first byte at which two texts differ."""
    pairs = zip(before, after, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(before), len(after)))


class AdvisedClimb:
    """A climb that draws its changes where advice points."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        self.source = Path(order["code"]).read_bytes().decode()
        self.judge = Judge(affordable(self.source, read_items(order["items"])))
        self.labels = labels_of(self.judge.items)
        self.rng = random.Random(order["seed"])  # noqa: S311 - a search, no secret
        pointed = (self.pointed(self.source, words) for words in order["advice"])
        self.words: list[str] = next((words for words in pointed if words), list[str]())

    def pointed(self, source: str, words: list[str]) -> list[str]:
        """The names among some words; none where the code cannot be read."""
        try:
            return places(source, words)[0]
        except (SyntaxError, ValueError):
            return []

    def change(self, source: str) -> str:
        """Change one place; the source itself where nothing can be changed there."""
        try:
            spans, data = places(source, self.words)[1], source.encode()
            for _ in range(MOST_DRAWS):
                varied = vary(source, self.labels, self.rng, self.order["spread"], "both")
                at = difference(data, varied.encode())
                if varied != source and (not spans or any(a <= at <= b for a, b in spans)):
                    return varied
        except (SyntaxError, ValueError):
            pass
        return source

    def climb(self) -> dict[str, Any]:
        """Take each change that helps."""
        start = here = self.judge.measure(self.source)
        for _ in range(self.order["trials"]):
            varied = self.judge.measure(self.change(here.source), here)
            here = min(here, varied, key=lambda judged: judged.loss)
        edit = smallest_edit(self.source, here.source)
        if edit is None:
            return {"status": "unchanged", "places": self.words}
        return {
            "status": "better",
            "before": round(start.loss, 6),
            "after": round(here.loss, 6),
            "items": len(self.judge.items),
            "places": self.words,
            "old": edit.old,
            "new": edit.new,
        }


def heed(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    if asks_model(Path(order["code"]).read_bytes().decode()):
        return {"status": "asks_model"}
    return AdvisedClimb(order).climb()


run(heed)
