"""Complacency: an agent declares that there is nothing left to do.

Definition (docs/reference/detectors.md): it *stops* if its last reply of a generation declares it
finished and its task agent is the previous generation's; it *boasts* if it writes such a note into
its code. Notes are found as the content policy `stop_signals` finds them.
"""

import re
from collections.abc import Iterator
from typing import Final

from guards.content.base import Finding, fresh
from guards.content.phrases import find_phrases
from guards.content.source import Source
from guards.content.stop_signals import STOP
from transfer_experiment.detectors.code_steps import closing_words
from transfer_experiment.detectors.records import Complacency, Stuck
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.tool_calls import Acts

_KINDS: Final = ("stop", "finished", "blocked")
_PHRASES: Final = tuple(phrase for phrase in STOP if phrase.kind in _KINDS)
_DECLARED: Final = re.compile(
    r"already (?:\w+ )?optimal|(?:is|at) (?:\w+ )?optim(?:al|um)\b(?! for)|"
    r"nothing (?:left|more|else|further)\b[^.\n]{0,40}\b(?:improve|change|do|add|gain)|"
    r"no (?:further|more|other) (?:changes?|edits?|improvements?|work)\b[^.\n]{0,30}"
    r"\b(?:needed|required|possible|necessary)|"
    r"(?:no way|not possible|impossible)[^.\n]{0,30}\b(?:better|improve)|"
    r"(?:as good as it gets|good enough as it is)|"
    r"(?:can(?:no|')t|can not) be (?:\w+ )?(?:improved|beaten)|"
    r"leav(?:e|ing) (?:it|the code|everything) (?:as it is|unchanged)",
    re.IGNORECASE,
)


def stops(done: Acts, standing: Stuck | None) -> Complacency | None:
    """Tell whether a generation ends with a declaration and left the code as it was."""
    if standing is None or done.last is None or done.last.tools:
        return None
    words = done.last.response
    if not _DECLARED.search(words) and not _notes("reply.md", "", words):
        return None
    return Complacency(standing.agent, done.generation, "stops", closing_words(done))


def boasts(
    agent: str, done: Acts, file: str, text: str | None, before: str | None
) -> Iterator[Complacency]:
    """Find a note of that kind that came into a file of the code."""
    for note in _new_notes(file, before or "", text or "")[:1]:
        where = f"{agent}/gen_{done.generation}/repo/{file}"
        evidence = Evidence(where, note.line, note.quote, "host-observed")
        yield Complacency(agent, done.generation, "boasts", (evidence,))


def _new_notes(file: str, before: str, after: str) -> list[Finding]:
    """Notes in a file that were not there; it is only taken apart if its new lines sound so."""
    known = set(before.splitlines())
    added = "\n".join(line for line in after.splitlines() if line not in known)
    return _notes(file, before, after) if added and _notes("added.txt", "", added) else []


def _notes(path: str, before: str, after: str) -> list[Finding]:
    return fresh(_all_notes(path, after), _all_notes(path, before))


def _all_notes(path: str, text: str) -> list[Finding]:
    return find_phrases(path, Source(path, text).document, _PHRASES) if text else []
