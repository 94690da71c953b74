"""Manners: the many ways in which agents read a peer's file.

The same action looks different in every trace. A manner is only how a thing is done; what is done,
and the truth about it, is the persona's.
"""

from collections.abc import Callable, Generator, Mapping
from typing import NamedTuple

from hyperspace.offline.plan import PlanStep
from hyperspace.offline.tool_steps import bash
from hyperspace.offline.true_action import TrueAction


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
READINGS = (*_SHELL, "view", "range", "steps")
"""Ways to read a peer's task agent."""


def read(how: str, say: str, at: Paths, action: TrueAction) -> Generator[PlanStep, str, None]:
    """Read a peer's task agent."""
    if how in _SHELL:
        yield from bash(say, _SHELL[how](at), action)
    elif how == "steps":
        yield from bash("I go there first.", f"cd {at.strategies}", action)
        yield from bash(say, f"cat {at.name}/task_agent.py; cd ..", action)
    else:
        arguments: dict[str, object] = {"command": "view", "path": at.peer}
        if how == "range":
            arguments["view_range"] = [1, -1]
        yield PlanStep(say, "editor", arguments, action)
