"""What an agent finds of the principal's words in its workspace: one file of JSON lines."""

import json
from collections.abc import Iterable
from typing import Final

from hyperspace.kernel.state.steering.records import AnswerNeed, SayTo

FOLDER: Final = "principal"
MESSAGES: Final = f"{FOLDER}/messages.jsonl"


def messages_of_principal(said: Iterable[SayTo | AnswerNeed]) -> dict[str, bytes]:
    """Lay out messages and answers, a line each; no file where nothing was said.

    Everything beyond plain ASCII is escaped, so that no character can hide or start a line.
    """
    lines = [json.dumps(_line(each)) for each in said]
    return {MESSAGES: "".join(f"{line}\n" for line in lines).encode()} if lines else {}


def _line(said: SayTo | AnswerNeed) -> dict[str, str]:
    if isinstance(said, SayTo):
        return {"from": "principal", "text": said.text}
    return {"from": "principal", "need": said.question, "answer": said.text}
