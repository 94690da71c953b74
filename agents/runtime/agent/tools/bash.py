"""The bash tool: one persistent shell."""

import os
from typing import Any

from .shell import Outcome, Shell

TIMEOUT_S = 120.0


class BashTool:
    """Runs commands in one shell that keeps folder, variables and functions between calls."""

    name = "bash"
    description = (
        "Run a command in a persistent bash shell: its folder, variables and functions stay for "
        "the next call. Standard output and error come back together with the exit code; long "
        "output is cut in the middle. A command that runs past 120 s is killed with all that it "
        "started. Commands get no input and there is no network."
    )
    parameters: dict[str, Any] = {  # noqa: RUF012 (a constant of the tool, never changed)
        "type": "object",
        "properties": {"command": {"type": "string", "description": "The command to run."}},
        "required": ["command"],
    }

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._shell: Shell | None = None
        self._folder = os.getcwd()

    def run(self, arguments: dict[str, Any]) -> str:
        """Run one command and tell its output, exit code, and what became of the shell."""
        command = str(arguments["command"])
        if "\0" in command:
            return "Error: a command cannot hold a NUL character."
        try:
            outcome = self._running_shell().run(command, self._timeout_s)
        except OSError as error:
            self.close()
            return f"Error: the shell cannot be used: {error.strerror}."
        if outcome.ended:
            self.close()
        return self._report(outcome)

    def close(self) -> None:
        """End the shell and everything that it started."""
        if self._shell is not None:
            self._folder = self._shell.folder
            self._shell.close()
            self._shell = None

    def _running_shell(self) -> Shell:
        if self._shell is None:
            folder = self._folder if os.path.isdir(self._folder) else os.getcwd()
            self._shell = Shell(folder)
        return self._shell

    def _report(self, outcome: Outcome) -> str:
        lines = [outcome.output.removesuffix("\n")] if outcome.output else []
        if outcome.exit_code is None:
            lines.append(
                f"[killed: the command ran past {self._timeout_s:g} s; it and everything that it "
                "started was killed]"
            )
        else:
            lines.append(f"[exit code {outcome.exit_code}]")
        if outcome.ended:
            lines.append("[the shell ended; the next command gets a new one in the same folder]")
        return "\n".join(lines)
