"""Moves that plans are made of: look, copy, run a program, edit. Each costs one tool call."""

import json
import re
import shlex
from collections.abc import Generator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from guards.parsing import decode_json
from hyperspace.offline.conversation import output
from hyperspace.offline.edits import Edit
from hyperspace.offline.plan import PlanStep
from hyperspace.offline.true_action import TrueAction

_CUT = re.compile(r"^\[\.\.\. \d+ bytes cut \.\.\.\]$", re.MULTILINE)
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


def bash(say: str, command: str, action: TrueAction | None = None) -> Generator[PlanStep, str, str]:
    """Run a command; returns what it printed."""
    return output((yield PlanStep(say, "bash", {"command": command}, action)))


def view(say: str, path: str, action: TrueAction | None = None) -> Generator[PlanStep, str, str]:
    """View a file or folder in the editor."""
    return (yield PlanStep(say, "editor", {"command": "view", "path": path}, action))


def replace(
    say: str, path: str, edit: Edit, action: TrueAction | None = None
) -> Generator[PlanStep, str, bool]:
    """Replace one passage of a file; returns whether the editor did it."""
    arguments = {"command": "str_replace", "path": path, "old_str": edit.old, "new_str": edit.new}
    result = yield PlanStep(say, "editor", arguments, action)
    return not result.startswith("Error")


def writing(words: str, edit: Edit) -> TrueAction:
    """The true action of an edit of the own code; its amount is how much longer the code gets."""
    return TrueAction("write", words, amount=len(edit.new.encode()) - len(edit.old.encode()))


def copy(
    say: str, source: str, target: str, action: TrueAction | None = None
) -> Generator[PlanStep, str, str]:
    """Copy a file."""
    return (yield from bash(say, f"cp {shlex.quote(source)} {shlex.quote(target)}", action))


def read_code(
    say: str, path: str, action: TrueAction | None = None
) -> Generator[PlanStep, str, str]:
    """Print a file; returns its text but for the last line end, nothing if it was cut."""
    text = yield from bash(say, f"cat {shlex.quote(path)}", action)
    return "" if _CUT.search(text) else text


def run_program(
    say: str,
    name: str,
    order: Mapping[str, object],
    helpers: Sequence[str] = (),
    action: TrueAction | None = None,
) -> Generator[PlanStep, str, dict[str, Any]]:
    """Send one of the programs of `inside/` through the shell; an empty dict if it said nothing.

    Args:
        say: Visible text of the turn.
        name: The program.
        order: What it is to do.
        helpers: Modules of this package, by path, that stand before it in the text that is sent.
        action: What the turn is in truth.
    """
    source = "\n\n".join(map(_source, (*helpers, f"inside/{name}")))
    argument = shlex.quote(json.dumps(order))
    command = f"python3 - {argument} <<'END_OF_PROGRAM'\n{source}END_OF_PROGRAM"
    lines = _RESULT.findall((yield from bash(say, command, action)))
    try:
        return decode_json(lines[-1], dict[str, Any]) if lines else {}
    except ValueError:  # a program of the agent's said it in the program's place
        return {}


@cache
def _source(name: str) -> str:
    text = resources.files("hyperspace.offline").joinpath(f"{name}.py").read_text("utf-8")
    # Digests are made of what is sent, so a module goes by the name that it had there first.
    return text.replace("hyperspace.offline", "agents.offline")
