"""Constants at the top of a Python file, given other values than those that stand there."""

import ast
import math
from collections.abc import Mapping

from guards.parsing import parse_python
from hyperspace.research.environments.description import Constant


def with_constants(text: str, constants: Mapping[str, Constant]) -> str:
    """Return a program whose constants have other values; comments and lines stay.

    Args:
        text: The program.
        constants: Values by name, each of one that is assigned once, on one line, at the top.

    Raises:
        ValueError: It is no program, or has no such constant, or a value is not finite.
    """
    for name, value in constants.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} would be {value}, which is no number to train with")
        text = _with_constant(text, name, value)
    return text


def _with_constant(text: str, name: str, value: Constant) -> str:
    site = _site(text, name)
    # Lines as the parser counts them: str.splitlines knows more ends of lines.
    lines = text.encode().split(b"\n")
    line = lines[site.lineno - 1]
    lines[site.lineno - 1] = (
        line[: site.col_offset] + repr(value).encode() + line[site.end_col_offset :]
    )
    changed = b"\n".join(lines).decode()
    if ast.literal_eval(_site(changed, name)) != value:
        raise ValueError(f"{name} cannot be set where it stands")
    return changed


def _site(text: str, name: str) -> ast.expr:
    """Return where the value of a constant stands."""
    if "\r" in text.replace("\r\n", "\n"):
        raise ValueError("its lines end in more ways than one")
    try:
        tree = parse_python(text)
        stores = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        ]
    except SyntaxError as error:
        raise ValueError(f"it cannot be read as a program ({type(error).__name__})") from error
    for node in tree.body:
        if not isinstance(node, ast.Assign) or node.targets != stores:
            continue
        if node.value.lineno == node.value.end_lineno:
            return node.value
    raise ValueError(f"it does not assign {name} once, on one line, at its top")
