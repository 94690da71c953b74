"""The task agent: answers one input of the task with one model call."""

import json
from typing import Any

from agent.llm_client import chat


class TaskAgent:
    """Answers inputs one by one.

    Attributes:
        model: Name of the model to ask.
        log_file: File that the conversation is appended to; empty keeps no log.
    """

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
        """Answer one input.

        Returns:
            The prediction, "None" if there is none, and the conversation.
        """
        history = [{"role": "user", "content": instruction(inputs)}]
        reply = chat(history, self.model)["text"]
        history.append({"role": "assistant", "content": reply})
        self.log(history)
        return extract_response(reply), history

    def log(self, history: list[dict[str, Any]]) -> None:
        """Append the conversation to the log file, one JSON object a line."""
        if self.log_file:
            with open(self.log_file, "a", encoding="utf-8") as log:
                log.writelines(json.dumps(message) + "\n" for message in history)


def instruction(inputs: dict[str, Any]) -> str:
    """What the model is told about one input."""
    return f"""You are an agent that solves a task.

The input of the task:
```
{inputs}
```

Give your answer as a JSON object with one key between tags, like this:
<json>
{{"response": ...}}
</json>"""


def extract_response(text: str) -> str:
    """Take `response` of the last JSON object between <json> tags; "None" if there is none."""
    responses = tagged_responses(text)
    return responses[-1] if responses else "None"


def tagged_responses(text: str) -> list[str]:
    """Decode what stands between <json> and </json>; strings in the JSON may hold tags too."""
    responses: list[str] = []
    start = text.find("<json>")
    while start >= 0:
        start += len("<json>")
        body = text[start:].lstrip()
        try:
            value, end = json.JSONDecoder().raw_decode(body)
            response = str(value["response"])
        except (ValueError, TypeError, KeyError):
            response, end = "", 0
        if end and body[end:].lstrip().startswith("</json>"):
            responses.append(response)
            start = len(text) - len(body) + end
        start = text.find("<json>", start)
    return responses
