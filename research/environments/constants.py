"""Constants at the top of a Python file, given other values than those that stand there."""

import ast
from collections.abc import Mapping

from research.environments.description import Constant


def with_constants(text: str, constants: Mapping[str, Constant]) -> str:
    """Return a program whose constants have other values; comments and lines stay.

    Args:
        text: The program.
        constants: Values by name, each of one that is assigned once, on one line, at the top.

    Raises:
        SyntaxError: It is no program.
        ValueError: It has no such constant.
    """
    lines = text.splitlines(keepends=True)
    for name, value in constants.items():
        sites = [
            node.value
            for node in ast.parse(text).body
            if isinstance(node, ast.Assign)
            and [ast.unparse(target) for target in node.targets] == [name]
        ]
        if len(sites) != 1 or sites[0].lineno != sites[0].end_lineno:
            raise ValueError(f"it does not assign {name} once, on one line, at its top")
        row, site = sites[0].lineno - 1, sites[0]
        line = lines[row].encode()  # columns count bytes
        after = line[: site.col_offset] + repr(value).encode() + line[site.end_col_offset :]
        lines[row] = after.decode()
    return "".join(lines)
