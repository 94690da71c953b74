"""Evidence in a trace, and the sentences in which an agent speaks of its peers."""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from hyperspace.runs.trace import TraceLine
from transfer_experiment.turns.path_step import QUOTE_CHARACTERS
from transfer_experiment.turns.steps import without_framed_calls

Rank = Literal["host-observed", "claimed"]
_SENTENCE = re.compile(r"[^\n]+?(?:(?<=[.!?])(?=\s)|$)", re.MULTILINE)
MOST_CLAIMS = 5  # of one generation about one strategy


class Evidence(msgspec.Struct, frozen=True):
    """One place in a trace, or among the accesses.

    Attributes:
        file: The file, relative to the run folder.
        line: Line number from 1.
        quote: What stands there, shortened.
        rank: `host-observed`: what the kernel reported, or bytes that passed through the broker;
            `claimed`: what agent code or a model says of itself, or what a command only names.
    """

    file: str
    line: int
    quote: str
    rank: Rank


def claims(line: TraceLine, folder: str, peer: str) -> Iterator[Evidence]:
    """Find the sentences of a meta agent's reply that name a strategy or the peer it is from."""
    if not line.of_meta_agent:
        return
    named = re.compile(rf"(?<![\w.-])(?:{re.escape(folder)}|{re.escape(peer)})(?![\w-])", re.I)
    for said in (line.thinking, without_framed_calls(line.response)):
        for sentence in sentences(said) if named.search(said) else ():
            if named.search(sentence):
                yield Evidence(line.file, line.line, sentence[:QUOTE_CHARACTERS], "claimed")


def sentences(text: str) -> Iterator[str]:
    """Split a text at line ends and behind full stops that a space follows."""
    return (sentence for part in _SENTENCE.findall(text) if (sentence := part.strip()))
