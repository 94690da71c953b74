"""Makes up cases of a task whose items are texts, by a grammar that the items themselves show.

Helpers: bench. Texts are cut at the marks that most of them have. A piece is odd where its shape
occurs under no other label: it is taken for what gives the text its label. A case is an item that
some solvers fail, with its odd pieces kept and other pieces taken from items of its label; or, with
`repeat`, with a run of letters made longer. Two texts count as nearly the same if they differ in
which letters and digits they have alone; labels are guesses, and nothing here knows an oracle.

The manner `random` makes them of any items, for a control; `foul` what no oracle should let stand.

Order: {"items", "cases", "out", "seed", "most", "how", "manner"}.
Result: {"status", "proposed", "bases"}.
"""

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperspace.offline.inside.bench import read_items, run

COMMON_MARK = 0.4  # of the texts have it
NEAREST = 24  # items at the border that cases are made of
DRAWS = 400
NO_CASES = ("{", "[]", '{"inputs": {}}', '{"inputs": {"x": 1}, "label": ""}')
LENGTHS = (1, 2, 3, 5, 8, 13, 30, 60)


def shape(text: str) -> str:
    """A text with each letter and digit as which of the two it is."""
    return re.sub("[0-9]", "0", re.sub("[A-Za-z]", "a", text))


def kind(piece: str) -> str:
    """The shape of a piece, runs of letters and digits of any length alike unless they are long."""
    runs = re.sub("a{20,}", "A", re.sub("0{20,}", "N", shape(piece)))
    return re.sub("0+", "0", re.sub("a+", "a", runs))


class Grammar:
    """Which pieces texts are made of, and which of these come with one label alone."""

    def __init__(self, rows: list[dict[str, Any]], field: str) -> None:
        self.field = field
        texts = [(str(row["inputs"][field]), str(row["label"])) for row in rows]
        marks = Counter(c for text, _ in texts for c in set(text) if not c.isalnum())
        common = [c for c, count in marks.items() if count >= COMMON_MARK * len(texts)]
        self.cut = re.compile("([" + re.escape("".join(sorted(common))) + "])") if common else None
        self.labels: dict[str, set[str]] = {}
        self.pieces: dict[str, list[str]] = {}
        for text, label in texts:
            for piece in self.split(text):
                self.labels.setdefault(kind(piece), set()).add(label)
                self.pieces.setdefault(label, []).append(piece)

    def split(self, text: str) -> list[str]:
        """Cut a text into pieces, with the marks between them."""
        return [text] if self.cut is None else self.cut.split(text)

    def vary(self, row: dict[str, Any], how: str, rng: random.Random) -> str:
        """Make another text of an item's, which may have its label, too."""
        text, label = str(row["inputs"][self.field]), str(row["label"])
        pieces = self.split(text)
        free = [at for at, piece in enumerate(pieces) if self.is_common(piece)]
        if how == "repeat" or not free:
            return grown(text, rng)
        for at in rng.sample(free, min(len(free), 1 if how == "one" else 2)):
            pieces[at] = rng.choice(self.pieces[label])
        return "".join(pieces)

    def is_common(self, piece: str) -> bool:
        """Whether a piece is no mark, and its kind comes with more than one label."""
        is_mark = self.cut is not None and self.cut.fullmatch(piece) is not None
        return not is_mark and piece != "" and len(self.labels.get(kind(piece), ())) > 1


def grown(text: str, rng: random.Random) -> str:
    """Make a run of letters longer."""
    runs = list(re.finditer("[A-Za-z]+", text))
    if not runs:
        return text
    at = rng.choice(runs).end()
    return text[:at] + "".join(rng.choices("abcdefghij", k=rng.choice(LENGTHS))) + text[at:]


def text_field(rows: list[dict[str, Any]]) -> str:
    """The input that holds texts which differ most; empty where none does."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row["inputs"].items():
            if isinstance(value, str):
                values.setdefault(name, set()).add(value)
    return max(sorted(values), key=lambda name: len(values[name]), default="")


def disguised(text: str, rng: random.Random) -> str:
    """Write a text in other letters."""
    return re.sub("[a-z]", lambda _: rng.choice("abcdefghijklmnop"), text)


def foul(rows: list[dict[str, Any]], field: str, rng: random.Random, most: int) -> list[str]:
    """Lines that no oracle should let stand: wrong labels, copies, long ones, no cases, secrets."""
    labels, lines = sorted({str(row["label"]) for row in rows}), list[str]()
    for number in range(most):
        row = rng.choice(rows)
        text, label = str(row["inputs"][field]), str(row["label"])
        other = rng.choice([each for each in labels if each != label] or [label])
        how = number % 5
        if how == 0:  # a wrong label
            lines.append(line(field, grown(text, rng), other))
        elif how == 1:  # an item in other letters
            lines.append(line(field, disguised(text, rng), label))
        elif how == 2:  # what only a friend knows how to answer
            lines.append(line(field, f"friend{rng.randrange(10**6)}{text}", rng.choice(labels)))
        elif how == 3:
            lines.append(
                rng.choice(("{", "[]", '{"inputs": {}}', '{"inputs": {"x": 1}, "label": ""}'))
            )
        else:
            lines.append(line(field, text + "x" * 9_000, label))
    return lines


def line(field: str, text: str, label: str) -> str:
    """A case as its line of the file."""
    return json.dumps({"inputs": {field: text}, "label": label})


def propose(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    rows = read_items(order["items"])
    field = text_field(rows)
    if not field:
        return {"status": "no_texts"}
    rng = random.Random(order["seed"])  # noqa: S311  a search, no secret
    if order["manner"] == "foul":
        lines = foul(rows, field, rng, order["most"])
    else:
        lines = honest(rows, field, order, rng)
    Path(order["out"]).write_text("".join(f"{each}\n" for each in lines), "utf-8")
    return {"status": "proposed", "proposed": len(lines)}


def honest(
    rows: list[dict[str, Any]], field: str, order: dict[str, Any], rng: random.Random
) -> list[str]:
    """Cases that may stand, in the manner `honest` of items near a border of right and wrong."""
    grammar = Grammar(rows, field)
    bases = rows
    if order["manner"] == "honest":
        failed = [row for row in rows if row["failing"] > 0]
        bases = (failed or rows)[:NEAREST]  # they come in that order
    seen = {shape(str(row["inputs"][field])) for row in rows}
    for case in read_items(order["cases"]):
        if "inputs" in case:
            seen.add(shape(str(case["inputs"].get(field))))
    lines: list[str] = []
    for _ in range(DRAWS):
        row = rng.choice(bases)
        text = grammar.vary(row, order["how"], rng)
        if shape(text) not in seen and len(lines) < order["most"]:
            seen.add(shape(text))
            lines.append(line(field, text, str(row["label"])))
    return lines


run(propose)
