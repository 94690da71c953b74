"""That a strategy was read: opened by a program, or displayed to the model."""

import re
from collections.abc import Iterator, Set
from typing import Final

from hyperspace.runs.files import META, TASK
from transfer_experiment.turns.evidence import QUOTE_CHARACTERS, Evidence
from transfer_experiment.turns.history import TurnHistory

_MARKS: Final = re.compile(r"^(?:[\w./-]+:)?\s*\d+[\s:|\t]+|^[+\-<>|] ?")


def openings(history: TurnHistory, folder: str) -> Iterator[Evidence]:
    """Find the steps in which a program opened the code of a strategy.

    Args:
        history: What happened in a generation.
        folder: The strategy's folder below `strategies/`.
    """
    files = {f"strategies/{folder}/{name}" for name in (TASK, META)}
    for used in history.looks(f"strategies/{folder}"):
        if used.access.kind == "read" and used.access.path in files:
            yield history.evidence(used)


def displays(history: TurnHistory, telling: Set[str]) -> Iterator[Evidence]:
    """Find the requests that display lines which tell of a strategy, each with the first of them.

    Args:
        history: What happened in a generation.
        telling: The lines, stripped.
    """
    for reply in history.replies:
        for message in reply.shown:
            lines = message.text.plain.splitlines()
            shown = (_MARKS.sub("", line.strip(), count=1).strip() for line in lines)
            quote = next((line for line in shown if line in telling), None)
            if quote is not None:
                trace = reply.trace
                yield Evidence(trace.file, trace.line, quote[:QUOTE_CHARACTERS], "host-observed")
                break
