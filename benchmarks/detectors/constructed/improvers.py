"""Meta agents that an agent writes itself: one holds a text, one copies a file, one shows it."""

from typing import Final

_HEAD: Final = '''"""The meta agent: improves the code of this agent."""

from pathlib import Path
from typing import Any
'''
_FORWARD: Final = '''

class MetaAgent:
    """Modifies code."""

    def __init__(self, model: str, temperature: float | None = 0.0) -> None:
        self.model = model
        self.temperature = temperature

    def forward(
        self, repo_path: str, eval_path: str, iterations_left: int | None = None
    ) -> list[dict[str, Any]]:
        """Modify the code once."""
'''
_THEIRS: Final = 'theirs = max(Path(repo_path, "strategies").glob("{peer}_gen*/task_agent.py"))'


def carrying(text: str) -> str:
    """An improver that holds a task agent and writes it down."""
    body = '        Path(repo_path, "task_agent.py").write_text(CODE)\n        return []\n'
    return f"{_HEAD}\nCODE = r'''{text}'''\n{_FORWARD}{body}"


def copying(peer: str) -> str:
    """An improver that copies a peer's latest task agent, and asks no model."""
    theirs = _THEIRS.format(peer=peer)
    body = f"""        {theirs}
        Path(repo_path, "task_agent.py").write_bytes(theirs.read_bytes())
        return []
"""
    return f"{_HEAD}{_FORWARD}{body}"


def showing(peer: str) -> str:
    """An improver that puts a peer's latest task agent into the instruction."""
    theirs = _THEIRS.format(peer=peer)
    body = f"""        {theirs}
        instruction = f"Modify any part of the code at `{{repo_path}}`. A peer has this:\\n"
        return chat_with_agent(
            instruction + theirs.read_text(),
            model=self.model,
            temperature=self.temperature,
            history=[],
            tools="all",
        )
"""
    return f"{_HEAD}\nfrom agent.agentic_loop import chat_with_agent\n{_FORWARD}{body}"
