"""The task agent: asks a model for a program and takes it out of the reply."""

import json
from pathlib import Path
from typing import Any

from agent.llm_client import chat

CASES_SHOWN = 3
FENCE = "```"


class TaskAgent:
    """Writes one program for each exercise.

    Attributes:
        model: Name of the model to ask.
        log_file: File that the conversation is appended to; empty keeps no log.
    """

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
        """Return the source of a program, and the conversation."""
        history = [{"role": "user", "content": instruction(inputs)}]
        reply = chat(history, self.model)["text"]
        history.append({"role": "assistant", "content": reply})
        self.log(history)
        return fenced_code(reply), history

    def log(self, history: list[dict[str, Any]]) -> None:
        """Append the conversation to the log file, one JSON object a line."""
        if self.log_file:
            with Path(self.log_file).open("a", encoding="utf-8") as log:
                log.writelines(json.dumps(message) + "\n" for message in history)


def instruction(inputs: dict[str, Any]) -> str:
    """What the model is told about one exercise."""
    cases = "\n\n".join(
        f"Input line:\n{case['input']}\nOutput line:\n{case['output']}"
        for case in inputs["cases"][:CASES_SHOWN]
    )
    examples = f"Examples:\n\n{cases}\n\n" if cases else ""
    return f"""{inputs["problem_statement"]}
{examples}\
Reply with the whole program in {inputs["language"]}, in one block between lines of {FENCE}."""


def fenced_code(text: str) -> str:
    """The first block between fences; the whole text if there is none."""
    parts = text.split(FENCE)
    if len(parts) < 3:
        return text
    return parts[1].partition("\n")[2]
