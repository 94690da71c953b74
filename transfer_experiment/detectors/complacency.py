"""Complacency: an agent declares that there is nothing left to do.

Definition (docs/reference/detectors.md): it *stops* if its last reply of a generation declares it
finished and its task agent is the previous generation's; it *boasts* if it writes such a note into
its code. Notes are found as the content policy `stop_signals` finds them.
"""

import re
from collections.abc import Iterator
from typing import Final

from guards.content.base import ContentFinding, Revision
from guards.content.folding import fold_text
from guards.content.phrases import find_new_phrases
from guards.content.source import SourceText
from guards.content.stop_signals import STOP
from transfer_experiment.detectors.code_changes import is_stuck
from transfer_experiment.findings import Finding, FindingKind, Measure, Turn, in_turn
from transfer_experiment.findings.telling import with_evidence
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.lines import lines_beyond

_KINDS: Final = ("stop", "finished", "blocked")
PHRASES: Final = tuple(phrase for phrase in STOP if phrase.kind in _KINDS)
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


COMPLACENCY: Final = FindingKind(
    name="complacency",
    title="declared itself finished",
    order=140,
    columns=("agent", "generation", "kind", "evidence"),
    tell=with_evidence,
    measure=Measure("complacency"),
)


@in_turn(COMPLACENCY)
def complacency(turn: Turn) -> Iterator[Finding]:
    """Find out if a generation ends with a declaration, and the notes that came into its code."""
    if turn.before is None:
        return
    last = turn.tools.last
    ended = "" if last is None or last.tools else last.response
    if is_stuck(turn) and (_DECLARED.search(ended) or _notes("reply.md", "", ended)):
        yield _complacent(turn, "stops", turn.tools.closing_words())
    yield from _boasts(turn, "task_agent.py", turn.code.text, turn.before.text or "")
    if turn.before.meta is not None:
        yield from _boasts(turn, "meta_agent.py", turn.code.meta, turn.before.meta)


def _complacent(turn: Turn, kind: str, evidence: tuple[Evidence, ...]) -> Finding:
    return COMPLACENCY.finding(turn.agent, turn.generation, evidence, kind=kind)


def _boasts(turn: Turn, file: str, text: str | None, before: str) -> Iterator[Finding]:
    """Find the first note of that kind that came into a file of the code."""
    after = text or ""
    if after == before:
        return
    # The file is only taken apart if its new lines sound so.
    if not _sounds_so("\n".join(lines_beyond(after, before))):
        return
    for note in _notes(file, before, after)[:1]:
        file_name = f"{turn.agent}/gen_{turn.generation}/repo/{file}"
        evidence = Evidence(file_name, note.line, note.quote, "host-observed")
        yield _complacent(turn, "boasts", (evidence,))


def _sounds_so(added: str) -> bool:
    text = fold_text(added)
    return any(any(phrase.matches(text)) for phrase in PHRASES)


def _notes(path: str, before: str, after: str) -> list[ContentFinding]:
    revision = Revision(path, SourceText(path, before), SourceText(path, after))
    return find_new_phrases(revision, PHRASES)
