"""Explanations that the code contradicts: what a generation's last reply claims, and is not so.

Only the reply that ended the generation counts (it asked for no tool), sentence by sentence, and
only sentences in the first person and the past ("I adopted ...", "Updated task_agent.py ..."),
without a "not" or the like. Two kinds are judged:

- *adoption*: behind the verb, the sentence names a strategy in sight or its peer. Contradicted
  if the strategy had telling lines to give, none of them came in, in either file, and the task
  agent is no more similar to it than before.
- *edit*: the sentence says that `task_agent.py` or `meta_agent.py` was changed. Contradicted if the
  file is to the letter that of the parent (the previous generation where the parent is not known)
  and nothing wrote it: no access, and where none were recorded, no edit and no shell command.

What cannot be told is not counted. Source: docs/reference/analysis.md.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from transfer_experiment.detectors.failed_edits import is_unmade
from transfer_experiment.findings import Finding, FindingKind, Turn, in_turn
from transfer_experiment.findings.telling import as_quoted_events
from transfer_experiment.similarity.moves import nearness
from transfer_experiment.turns.code import SeenStrategy, TurnCode
from transfer_experiment.turns.path_step import QUOTE_CHARACTERS

_SUBJECT = r"(?:^[\s*\-#\d.]*|\b(?:I|we)(?:'ve|\s+have)?\s+(?:also\s+|then\s+|now\s+)?)"
_ADOPTED = re.compile(
    _SUBJECT + r"(?:adopted|copied|took\s+over|taken\s+over|ported|borrowed|incorporated)"
    r"\b(?P<what>.*)",
    re.I | re.DOTALL,
)
_EDITED = re.compile(
    _SUBJECT + r"(?:changed|edited|updated|modified|rewrote|rewritten|refactored|extended|improved)"
    r"\b(?P<what>.*)",
    re.I | re.DOTALL,
)
_FILES = {"task_agent.py": "text", "meta_agent.py": "meta"}
_DENIED = re.compile(r"\b(?:not|no|nothing|never|neither|without|would|could|should)\b|n't\b", re.I)


CONTRADICTIONS: Final = FindingKind(
    name="contradictions",
    title="claims that the code contradicts",
    order=40,
    section="events",
    table="own",
    label="contradicted claims",
    columns=("agent", "generation", "kind", "fact", "evidence"),
    needs=("code", "traces"),
    tell=as_quoted_events,
)


@in_turn(CONTRADICTIONS)
def contradictions(turn: Turn) -> Iterator[Finding]:
    """Judge what the last reply of a generation claims, beside what is so."""
    if turn.parent is None:
        return
    for sentence in turn.facts.closing:
        for kind, fact in _contradicted(turn, turn.parent, sentence.quote):
            quote = sentence.quote[:QUOTE_CHARACTERS]
            yield CONTRADICTIONS.finding(
                turn.agent,
                turn.generation,
                (msgspec.structs.replace(sentence, quote=quote),),
                f"claims an {kind}; {fact}",
                kind=kind,
                fact=fact,
            )


def _contradicted(turn: Turn, parent: TurnCode, sentence: str) -> Iterator[tuple[str, str]]:
    """The kinds of claims in a sentence that are not so, each with what is."""
    if _DENIED.search(sentence):
        return
    if adopted := _ADOPTED.search(sentence):
        for seen in turn.code.seen:
            named = rf"(?<![\w.-])(?:{re.escape(seen.folder)}|{re.escape(seen.peer)})(?![\w-])"
            is_named = seen.peer != turn.agent and re.search(named, adopted["what"], re.I)
            if is_named and _is_untouched(turn, parent, seen):
                yield "adoption", f"no line of {seen.strategy} came in"
    if edited := _EDITED.search(sentence):
        for name, field in _FILES.items():
            same = getattr(parent, field) == getattr(turn.code, field)
            if name in edited["what"] and same and not _may_have_written(turn, name):
                fact = f"{name} is that of generation {parent.generation}, and nothing wrote it"
                yield "edit", fact


def _may_have_written(turn: Turn, name: str) -> bool:
    """Return True if something wrote a file; without accesses any shell command may have."""
    history = turn.facts.history
    if history.has_accesses and not history.unobserved:
        return any(history.writes(name))
    return any(
        not call.viewed and not (call.tool.name == "editor" and is_unmade(call.tool))
        for call in turn.calls
    )


def _is_untouched(turn: Turn, parent: TurnCode, seen: SeenStrategy) -> bool:
    """Return True if nothing of a strategy came in, though it had something to give."""
    if not turn.lineages.gives(seen) or turn.lineages.came_in(turn.code, seen) != (0, 0):
        return False
    before, after = parent.text or "", turn.code.text or ""
    return after == before or nearness(after, seen.text) <= nearness(before, seen.text)
