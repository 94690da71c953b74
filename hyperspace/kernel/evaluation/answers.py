"""answers.jsonl: what agents answered where the record holds outcomes in place of answers.

One line an item, in the order of ids: artefacts as they were given, episodes as their actions, one
a line of the text. The record holds the hash of each, so that any of it can be checked, and an
episode can be played again without the agent.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from hyperspace.kernel.evaluation.attempt_log import item_label
from hyperspace.kernel.files import sha256_hex, write_tree
from hyperspace.tasks.base import Split

ANSWERS: Final = "answers.jsonl"


class AnswerLine(msgspec.Struct, frozen=True):
    """One line of answers.jsonl.

    Attributes:
        id: The item's.
        answer: The artefact, or the actions of an episode, one a line.
    """

    id: str
    answer: str


def answer_sha256(answer: str) -> str:
    """Return the hash of an answer that stands in its outcome."""
    return sha256_hex(answer.encode("utf-8", "surrogatepass"))


def keep_answers(folder: Path, in_pass: str, split: Split, answers: Mapping[str, str]) -> None:
    """Write the answers of a split below an attempt's folder; none, no file."""
    if not answers:
        return
    lines = [AnswerLine(id_, answer) for id_, answer in answers.items()]
    path = item_label(f"eval_{split}", in_pass, ANSWERS)
    write_tree(folder, {path: msgspec.json.Encoder().encode_lines(lines)})


def read_answers(path: Path) -> Iterator[AnswerLine]:
    """Read what `keep_answers` wrote.

    Raises:
        OSError: It cannot be read.
        msgspec.DecodeError: A line is damaged.
    """
    yield from msgspec.json.Decoder(AnswerLine).decode_lines(path.read_bytes())
