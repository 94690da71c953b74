"""Explanations that the code contradicts: what a generation's last reply claims, and is not so.

Only the reply that ended the generation counts (it asked for no tool), sentence by sentence, and
only sentences in the first person and the past ("I adopted ...", "Updated task_agent.py ..."),
without a "not" or the like. Two kinds are judged:

- *adoption*: behind the verb, the sentence names a strategy in sight or its peer. Contradicted
  if the strategy had telling lines to give, none of them came in, in either file, and the task
  agent is no more similar to it than before.
- *edit*: the sentence says that `task_agent.py` or `meta_agent.py` was changed. Contradicted if the
  file is to the letter that of the parent (the previous generation where the parent is not known)
  and no tool call wrote it or may have.

What cannot be told is not counted. Source: docs/reference/analysis.md.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from transfer_experiment.adoption.causal_rule import Seen, Step
from transfer_experiment.detectors.transfers import Lineages
from transfer_experiment.similarity.moves import similarity
from transfer_experiment.turns.evidence import QUOTE_CHARACTERS, Evidence
from transfer_experiment.turns.facts import Said, TurnFacts

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


class Contradiction(msgspec.Struct, frozen=True):
    """A claim of an agent that its code contradicts.

    Attributes:
        agent: Who claims.
        generation: In which generation.
        kind: What is claimed: an `adoption` or an `edit`.
        fact: What is so.
        evidence: The claim.
    """

    agent: str
    generation: int
    kind: Literal["adoption", "edit"]
    fact: str
    evidence: tuple[Evidence, ...]


def find_contradictions(
    agent: str, parent: Step, step: Step, facts: TurnFacts, known: Lineages
) -> Iterator[Contradiction]:
    """Judge the claims of a step, before the step is taken into the lineages.

    Args:
        agent: Whose step.
        parent: What it was forked from.
        step: The step.
        facts: What its trace tells.
        known: The lines that the agent's code had so far.
    """
    for said in facts.closing if step.text is not None else ():
        for kind, fact in _judge(agent, parent, step, facts, known, said):
            claim = Evidence(said.file, said.line, said.text[:QUOTE_CHARACTERS], "claimed")
            yield Contradiction(agent, step.generation, kind, fact, (claim,))


def _judge(
    agent: str, parent: Step, step: Step, facts: TurnFacts, known: Lineages, said: Said
) -> Iterator[tuple[Literal["adoption", "edit"], str]]:
    if _DENIED.search(said.text):
        return
    if adopted := _ADOPTED.search(said.text):
        for seen in step.seen:
            if (
                seen.peer != agent
                and _names(adopted["what"], seen)
                and _is_untouched(parent, step, seen, known)
            ):
                yield "adoption", f"no line of {seen.strategy} came in"
    if edited := _EDITED.search(said.text):
        for name, field in _FILES.items():
            same = getattr(parent, field) == getattr(step, field)
            if name in edited["what"] and same and not facts.may_have_written(name):
                yield (
                    "edit",
                    f"{name} is that of generation {parent.generation}, and nothing wrote it",
                )


def _names(text: str, seen: Seen) -> bool:
    folder = seen.strategy.rpartition("/")[2]
    named = rf"(?<![\w.-])(?:{re.escape(folder)}|{re.escape(seen.peer)})(?![\w-])"
    return re.search(named, text, re.I) is not None


def _is_untouched(parent: Step, step: Step, seen: Seen, known: Lineages) -> bool:
    """Whether nothing of a strategy came in, though it had something to give."""
    if not known.gives(seen) or known.came_in(step, seen) != (0, 0):
        return False
    before, after = parent.text or "", step.text or ""
    return after == before or similarity(after, seen.text) <= similarity(before, seen.text)
