"""The need tool: a question to the person who runs this; there only where the run has it on."""

from typing import Any

from ..llm_client import LLMError
from ..llm_client import _exchange as exchange  # pyright: ignore[reportPrivateUsage]


class NeedTool:
    """Puts a question to the person who runs this, and waits for the answer where asked to."""

    name = "need"
    description = (
        "Ask the person who runs this for something that you cannot find out or decide yourself. "
        "With blocking=yes the call waits for the answer and returns it. Otherwise the answer, if "
        "one comes, lies in principal/messages.jsonl of a later workspace."
    )
    parameters: dict[str, Any] = {  # noqa: RUF012 (a constant of the tool, never changed)
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "What you need, in a few sentences."},
            "blocking": {"type": "string", "description": "yes or no; default: no."},
        },
        "required": ["question"],
    }

    def run(self, arguments: dict[str, Any]) -> str:
        """Ask, and tell what came of it."""
        blocking = str(arguments.get("blocking", "no")).strip().lower()
        if blocking not in ("yes", "no"):
            return "Error: blocking is yes or no."
        frame = {"op": "need", "question": arguments["question"], "blocking": blocking == "yes"}
        try:
            answer = exchange(frame)
        except LLMError as error:
            return f"Error: {error}."
        if not answer.get("ok"):
            return f"Error: {answer.get('message')}."
        said = answer["reply"]["answer"]
        return "Noted; the answer comes later." if said is None else f"The answer: {said}"

    def close(self) -> None:
        """Nothing was started."""
