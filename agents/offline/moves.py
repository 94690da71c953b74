"""Moves that plans are made of: look, copy, run a program, edit. Each costs one tool call."""

import json
import re
import shlex
from collections.abc import Generator, Iterator, Mapping
from importlib import resources
from typing import Any, NamedTuple, cast

from agents.offline.conversation import output
from agents.offline.edits import Edit
from agents.offline.plan import Step

Move = Generator[Step, str, Any]
_RESULT = re.compile(r"^RESULT (\{.*\})$", re.MULTILINE)


class Workspace(NamedTuple):
    """The folder that a conversation is about.

    Attributes:
        path: As the instruction named it.
    """

    path: str

    def at(self, relative: str) -> str:
        """A path below the folder."""
        return f"{self.path.rstrip('/')}/{relative}"


class Scores(NamedTuple):
    """What is known about one version of the task agent.

    Attributes:
        path: Folder with its task_agent.py.
        generation: Its number.
        val: Validation score; -1 if it has none.
        train: Train score; -1 if it has none.
        current: Whether its code equals the workspace's.
    """

    path: str
    generation: int
    val: float
    train: float
    current: bool


def bash(say: str, command: str) -> Generator[Step, str, str]:
    """Run a command; returns what it printed."""
    return output((yield Step(say, "bash", {"command": command})))


def view(say: str, path: str) -> Generator[Step, str, str]:
    """View a file or folder in the editor."""
    return (yield Step(say, "editor", {"command": "view", "path": path}))


def replace(say: str, path: str, edit: Edit) -> Generator[Step, str, bool]:
    """Replace one passage of a file; returns whether the editor did it."""
    arguments = {"command": "str_replace", "path": path, "old_str": edit.old, "new_str": edit.new}
    result = yield Step(say, "editor", arguments)
    return not result.startswith("Error")


def copy(say: str, source: str, target: str) -> Generator[Step, str, str]:
    """Copy a file."""
    return (yield from bash(say, f"cp {shlex.quote(source)} {shlex.quote(target)}"))


def read_code(say: str, path: str) -> Generator[Step, str, str]:
    """Print a file; returns its text but for the last line end."""
    return (yield from bash(say, f"cat {shlex.quote(path)}"))


def read_scores(say: str, space: Workspace, folder: str) -> Generator[Step, str, list[Scores]]:
    """Read the metadata of all versions below a folder, oldest generation first."""
    pattern = f"{shlex.quote(space.at(folder))}/*/"
    mine = shlex.quote(space.at("task_agent.py"))
    command = (
        f'for d in {pattern}; do [ -f "$d/metadata.json" ] || continue; echo; '
        f'cmp -s "$d/task_agent.py" {mine} && echo "SAME $d" || echo "OTHER $d"; '
        'cat "$d/metadata.json"; done'
    )
    return sorted(_scores((yield from bash(say, command))), key=lambda s: (s.generation, s.path))


def run_program(
    say: str, name: str, order: Mapping[str, object]
) -> Generator[Step, str, dict[str, Any]]:
    """Send one of the programs of `inside/` through the shell; an empty dict if it said nothing."""
    source = resources.files("agents.offline.inside").joinpath(f"{name}.py").read_text("utf-8")
    argument = shlex.quote(json.dumps(order))
    result = yield from bash(
        say, f"python3 - {argument} <<'END_OF_PROGRAM'\n{source}END_OF_PROGRAM"
    )
    lines = _RESULT.findall(result)
    return json.loads(lines[-1]) if lines else {}


def _scores(listing: str) -> Iterator[Scores]:
    for block in re.split(r"^(?=SAME |OTHER )", listing, flags=re.MULTILINE):
        head, _, body = block.partition("\n")
        kind, _, path = head.partition(" ")
        values = _object(body)
        if path and values:
            yield Scores(
                path.rstrip("/"),
                int(_number(values.get("generation"))),
                _number(values.get("val_score")),
                _number(values.get("train_score")),
                kind == "SAME",
            )


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, object], value) if isinstance(value, dict) else {}


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else -1.0
