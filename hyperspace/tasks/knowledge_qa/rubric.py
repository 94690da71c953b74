"""The rubric of a knowledge base: what an answer has to state, in a CSV file for people.

A model may draft it (`hyperspace rubric`); a person decides what counts.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hyperspace.tasks.base import DomainDataError
from hyperspace.tasks.csv_rows import from_inert, inert, read_records

NAME: Final = "knowledge_qa"
RUBRIC: Final = "rubric.csv"
COLUMNS: Final = ("Question", "Fact", "Weight", "Quote", "Reviewed")
WEIGHTS: Final = (1, 2, 3)
LONGEST_FACT: Final = 300  # characters
_REVIEWED: Final = {"yes": True, "no": False, "": False}


class Fact(msgspec.Struct, frozen=True):
    """One row of a rubric.

    Attributes:
        question: The question whose answers it belongs to.
        fact: What an answer has to state; true or false of an answer on its own.
        weight: What stating it is worth, from 1 to 3.
        quote: The words of the knowledge base that it follows from; empty if a person says so.
        reviewed: Whether a person has agreed to it.
    """

    question: str
    fact: str
    weight: int
    quote: str = ""
    reviewed: bool = False


def read_rubric(path: Path) -> list[Fact]:
    """Read a rubric.

    Raises:
        DomainDataError: It cannot be read, lacks a column, or a row of it is malformed.
    """
    records = enumerate(read_records(NAME, path, COLUMNS), start=1)
    facts = [_fact(record, f"row {number} of {path}") for number, record in records]
    counts = Counter((fact.question, fact.fact) for fact in facts)
    if twice := [fact for (_, fact), count in counts.items() if count > 1]:
        raise DomainDataError(f"{NAME}: {path} has the fact {twice[0]!r} twice for one question")
    return facts


def rubric_text(facts: Iterable[Fact]) -> str:
    """Return the content of rubric.csv."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for fact in facts:
        reviewed = "yes" if fact.reviewed else "no"
        cells = (fact.question, fact.fact, str(fact.weight), fact.quote, reviewed)
        writer.writerow(map(inert, cells))
    return text.getvalue()


def facts_of(facts: Sequence[Fact], questions: Iterable[str], path: Path) -> dict[str, list[Fact]]:
    """Return the facts of each question.

    Raises:
        DomainDataError: A question has none, or nobody has agreed to one of them.
    """
    rows = {question: [f for f in facts if f.question == question] for question in questions}
    if without := [question for question in rows if not rows[question]]:
        raise DomainDataError(
            f"{NAME}: {path} has no fact for {len(without)} of {len(rows)} questions, "
            f"{without[0]!r} among them; `hyperspace rubric {path.parent} --model M` drafts some"
        )
    unread = sum(not fact.reviewed for own in rows.values() for fact in own)
    if unread:
        raise DomainDataError(
            f"{NAME}: nobody has agreed to {unread} facts of {path}; read them, change or delete "
            "what is wrong, and write yes into the column Reviewed"
        )
    return rows


def _fact(record: dict[str, str], row: str) -> Fact:
    cells = [from_inert(record[column]).strip() for column in COLUMNS]
    question, fact, weight, quote, reviewed = " ".join(cells[0].split()), *cells[1:]
    problem = ""
    if not question or not fact:
        problem = "lacks a Question or a Fact"
    elif len(fact) > LONGEST_FACT or "\n" in fact:
        problem = f"has a Fact of several lines or of more than {LONGEST_FACT} characters"
    elif weight not in map(str, WEIGHTS):
        problem = f"has the Weight {weight[:LONGEST_FACT]!r}; it is 1, 2 or 3"
    elif reviewed.lower() not in _REVIEWED:
        problem = f"has {reviewed[:LONGEST_FACT]!r} in Reviewed; it is yes or no"
    if problem:
        raise DomainDataError(f"{NAME}: {row} {problem}")
    return Fact(question, fact, int(weight), quote, _REVIEWED[reviewed.lower()])
