"""The tools on offer, and how a call becomes a result. What goes wrong is told, never raised."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .bash import BashTool
from .editor import EditorTool


class Tool(Protocol):
    """Something that the model can call.

    Attributes:
        name: Name to call it by.
        description: What it does, for the model.
        parameters: JSON Schema of the arguments object.
    """

    name: str
    description: str
    parameters: dict[str, Any]

    def run(self, arguments: dict[str, Any]) -> str:
        """Run one call and say what came of it."""
        ...

    def close(self) -> None:
        """End what the tool started."""
        ...


def load_tools(names: str | Sequence[str] = "all") -> dict[str, Tool]:
    """Make fresh tools by name; `all` makes every one there is."""
    tools: dict[str, Tool] = {tool.name: tool for tool in (BashTool(), EditorTool())}
    return tools if names == "all" else {name: tools[name] for name in names}


def close_all(tools: Mapping[str, Tool]) -> None:
    """Close every tool."""
    for tool in tools.values():
        tool.close()


def spec(tool: Tool) -> dict[str, Any]:
    """Describe a tool for the model."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }


def run_tool(tools: Mapping[str, Tool], name: str, arguments: str) -> str:
    """Run one call of the model.

    Args:
        tools: Tools on offer by name.
        name: The tool that the model wants.
        arguments: JSON text as the model wrote it.

    Returns:
        What the tool said, or a line that begins with `Error:`.
    """
    if name not in tools:
        return f"Error: there is no tool {name!r}; there are: {', '.join(tools)}."
    try:
        values = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        return f"Error: the arguments of {name} are not JSON: {error}."
    if not _is_a(values, dict):
        return f"Error: the arguments of {name} must be a JSON object."
    given = {key: value for key, value in values.items() if value is not None}
    misfits = _misfits(tools[name].parameters, given)
    return f"Error: {name}: {'; '.join(misfits)}." if misfits else tools[name].run(given)


def _misfits(schema: dict[str, Any], given: dict[str, Any]) -> list[str]:
    """Say how arguments differ from a schema of strings, integers and arrays of integers."""
    known = schema["properties"]
    unknown = [f"{key!r} is unknown, takes {', '.join(known)}" for key in given if key not in known]
    missing = [f"{key!r} is missing" for key in schema["required"] if key not in given]
    mistyped = [
        f"{key!r} must be of type {known[key]['type']}"
        for key, value in given.items()
        if key in known and not _fits(value, known[key])
    ]
    return unknown + missing + mistyped


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    if schema["type"] == "array":
        return _is_a(value, list) and all(_fits(item, schema["items"]) for item in value)
    return _is_a(value, {"string": str, "integer": int}[schema["type"]])


def _is_a(value: Any, kind: type) -> bool:
    """Exactly of a kind: True is no integer here."""
    return type(value) is kind
