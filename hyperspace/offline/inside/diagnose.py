"""Says what a task agent's answers look like beside the labels, and where its prompt ends.

Order: {"code", "items", "predictions"}.
Result: {"labels": {label: count}, "predicted": {prediction: count}, "prompt": null or {"line",
"column", "triple", "text"}}. The prompt is the longest string in the code that documents nothing;
line and column (bytes) are where text can be added to its end.
"""

import ast
import collections
import csv
import json
import sys
from pathlib import Path
from typing import Any

MOST_VALUES = 40
LONGEST_VALUE = 60


def count_labels(path: str) -> dict[str, int]:
    """Count labels of the training items."""
    lines = Path(path).read_bytes().splitlines()
    labels = [json.loads(line)["label"] for line in lines if line.strip()]
    return dict(sorted(collections.Counter(labels).items())[:MOST_VALUES])


def count_predictions(path: str) -> dict[str, int]:
    """Count predictions, empty ones left out."""
    csv.field_size_limit(1 << 26)
    with Path(path).open(encoding="utf-8", newline="") as file:
        values = [row["prediction"].strip().lower() for row in csv.DictReader(file)]
    counts = collections.Counter(value[:LONGEST_VALUE] for value in values if value)
    return dict(counts.most_common(MOST_VALUES))


def find_prompt(source: str) -> dict[str, Any] | None:
    """Find the longest string expression and the place before its closing quotes."""
    tree = ast.parse(source)
    skipped = documentation(tree) | parts_of_strings(tree)
    strings = [n for n in ast.walk(tree) if is_string(n) and id(n) not in skipped]
    if not strings:
        return None
    node: Any = max(strings, key=size)
    line, end = int(node.end_lineno), int(node.end_col_offset)
    head = source.split("\n")[line - 1].encode()[:end]
    triple = head.endswith((b'"""', b"'''"))
    column = end - (3 if triple else 1)
    return {"line": line, "column": column, "triple": triple, "text": text_of(node)}


def is_string(node: ast.AST) -> bool:
    """Whether a node is a string or an f-string."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def documentation(tree: ast.AST) -> set[int]:
    """Strings that stand alone as statements."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def parts_of_strings(tree: ast.AST) -> set[int]:
    """Pieces of f-strings."""
    wholes = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    return {id(part) for whole in wholes for part in ast.walk(whole) if part is not whole}


def size(node: ast.AST) -> int:
    """How much literal text a string holds."""
    return len(text_of(node))


def text_of(node: Any) -> str:
    """The literal text of a string or f-string."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))


def diagnose(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order; what cannot be read counts as empty."""
    result: dict[str, Any] = {"labels": {}, "predicted": {}, "prompt": None}
    readers = {"labels": count_labels, "predicted": count_predictions, "prompt": read_prompt}
    paths = {"labels": order["items"], "predicted": order["predictions"], "prompt": order["code"]}
    for key, reader in readers.items():
        try:
            result[key] = reader(paths[key])
        except (OSError, ValueError, KeyError, SyntaxError, AttributeError, csv.Error) as error:
            result[f"{key}_error"] = f"{type(error).__name__}: {error}"
    return result


def read_prompt(path: str) -> dict[str, Any] | None:
    """Find the prompt in a file."""
    return find_prompt(Path(path).read_bytes().decode())


def main() -> None:
    """Carry out the order of the command line."""
    sys.stdout.write(f"RESULT {json.dumps(diagnose(json.loads(sys.argv[1])))}\n")


main()
