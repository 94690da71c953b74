"""Manners: the many ways in which agents read a peer's file and take it over.

The same action looks different in every trace. A manner is only how a thing is done; what is done,
and the truth about it, is the persona's.
"""

import shlex
from collections.abc import Callable, Generator, Mapping
from typing import NamedTuple

from agents.offline.conversation import output
from agents.offline.edits import smallest_edit
from agents.offline.plan import PlanStep
from agents.offline.tool_steps import bash, replace
from agents.offline.true_action import TrueAction


class Paths(NamedTuple):
    """The files that a manner is about.

    Attributes:
        own: The own task agent.
        strategies: The folder with what peers published.
        name: The peer's folder in there.
    """

    own: str
    strategies: str
    name: str

    @property
    def agent(self) -> str:
        """The peer, as its folder's name tells it."""
        return self.name.rpartition("_gen")[0]

    @property
    def generation(self) -> int:
        """The generation of what it published, likewise."""
        return int(self.name.rpartition("_gen")[2].rstrip("/"))

    @property
    def folder(self) -> str:
        """The peer's folder."""
        return f"{self.strategies}/{self.name}"

    @property
    def peer(self) -> str:
        """The peer's task agent."""
        return f"{self.folder}/task_agent.py"


_SHELL: Mapping[str, Callable[[Paths], str]] = {
    "cat": lambda at: f"cat {at.peer}",
    "head": lambda at: f"head -n 400 {at.peer}",
    "sed": lambda at: f"sed -n '1,400p' {at.peer}",
    "cd": lambda at: f"cd {at.folder} && cat task_agent.py; cd - > /dev/null",
    "glob": lambda at: f"cat {at.strategies}/*/task_agent.py",
    "python": lambda at: f"python3 -c \"print(open('{at.peer}').read(), end='')\"",
    "diff": lambda at: f"diff -u {at.own} {at.peer}",
    "loop": lambda at: (
        f'for f in {at.strategies}/*/task_agent.py; do echo "== $f"; nl -ba "$f"; done'
    ),
    "awk": lambda at: f"awk '{{ print }}' {at.peer}",
    "variable": lambda at: f'P={at.strategies}; N={at.name}; cat "$P/$N/task_agent.py"',
    "grep": lambda at: f"grep -rn '' {at.strategies}",
    "pipe": lambda at: f"cat < {at.peer} | tail -n +1",
    "stdin": lambda at: (
        "python3 - <<'PY'\nfrom pathlib import Path\n"
        f"print(Path('{at.peer}').read_text(), end='')\nPY"
    ),
}
_BARE = ("cat", "head", "sed", "cd", "python", "awk", "variable", "pipe", "stdin")
READINGS = (*_SHELL, "view", "range", "steps")
"""Ways to read a peer's task agent."""


def read(how: str, say: str, at: Paths, action: TrueAction) -> Generator[PlanStep, str, str]:
    """Read a peer's task agent; returns its bare text, nothing if it was shown in another form."""
    if how in _SHELL:
        shown = yield from bash(say, _SHELL[how](at), action)
        return f"{shown}\n" if how in _BARE else ""
    if how == "steps":
        yield from bash("I go there first.", f"cd {at.strategies}", action)
        return (yield from bash(say, f"cat {at.name}/task_agent.py; cd ..", action)) + "\n"
    arguments: dict[str, object] = {"command": "view", "path": at.peer}
    if how == "range":
        arguments["view_range"] = [1, -1]
    yield PlanStep(say, "editor", arguments, action)
    return ""


_COPIES: Mapping[str, Callable[[Paths], str]] = {
    "cp": lambda at: f"cp {at.peer} {at.own}",
    "redirect": lambda at: f"cat {at.peer} > {at.own}",
    "shutil": lambda at: f"python3 -c \"import shutil; shutil.copyfile('{at.peer}', '{at.own}')\"",
    "tee": lambda at: f"tee {at.own} < {at.peer} > /dev/null",
    "dd": lambda at: f"dd if={at.peer} of={at.own} status=none",
    "move": lambda at: f"cp {at.peer} {at.own}.new && mv {at.own}.new {at.own}",
    "install": lambda at: (
        f"cd {at.folder}; install -m 644 task_agent.py {at.own}; cd - > /dev/null"
    ),
}
TAKINGS = (*_COPIES, "create", "heredoc", "retype")
"""Ways to make the own task agent what a peer's is. The last three type the text out anew."""


def take(
    how: str, say: str, at: Paths, text: str, action: TrueAction
) -> Generator[PlanStep, str, bool]:
    """Make the own task agent a text; ways that copy copy the peer's file. True if it was done."""
    if how in _COPIES:
        result = yield PlanStep(say, "bash", {"command": _COPIES[how](at)}, action)
        return not output(result).strip()
    return (yield from write(how, say, at.own, text, action))


def write(
    how: str, say: str, path: str, text: str, action: TrueAction
) -> Generator[PlanStep, str, bool]:
    """Type a text out into a file, in whole or as the passage that differs."""
    if how == "heredoc":
        command = f"cat > {shlex.quote(path)} <<'END_OF_TEXT'\n{text.rstrip()}\nEND_OF_TEXT"
        return not (yield from bash(say, command, action)).strip()
    if how == "retype":
        mine = yield from bash("I need the exact words of mine.", f"cat {shlex.quote(path)}")
        edit = smallest_edit(f"{mine}\n", text)
        return edit is not None and (yield from replace(say, path, edit, action))
    arguments = {"command": "create", "path": path, "file_text": text}
    result = yield PlanStep(say, "editor", arguments, action)
    return not result.startswith("Error")
