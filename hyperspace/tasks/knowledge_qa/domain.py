"""Answer questions from a knowledge base: a folder of one's own, with a rubric.

A folder has knowledge.md, rubric.csv, and the questions: train.csv, val.csv and test.csv, or one
knowledge_qa.csv, which is shuffled and dealt in thirds.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from guards.scope.regular_files import Unreadable, read_given
from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split
from hyperspace.tasks.csv_rows import (
    deal_in_thirds,
    hashed_id,
    read_records,
    split_file,
    whole_file,
)
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.knowledge_qa.judging import ask, outcome_of, read_verdicts
from hyperspace.tasks.knowledge_qa.rubric import NAME, RUBRIC, Fact, facts_of, read_rubric
from hyperspace.tasks.options import from_folder
from hyperspace.tasks.package_files import task_files
from hyperspace.tasks.shapes.judged import UNREADABLE
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome

KNOWLEDGE: Final = "knowledge.md"
MOST_KNOWLEDGE: Final = 100_000  # characters
LONGEST_ANSWER: Final = 1_200  # characters: the whole text is no answer
_COLUMNS: Final = ("Question",)
_SMOKE_INPUTS: Final = {
    "domain": NAME,
    "question": "When does the library open?",
    "knowledge": "The library opens at nine and closes at six.",
}
Questions = Mapping[Split, Sequence[tuple[str, str]]]


class KnowledgeDomain(GradedDomain):
    """Questions about one text; see `JudgedByModel`."""

    def __init__(
        self, knowledge: str, questions: Questions, facts: Mapping[str, Sequence[Fact]]
    ) -> None:
        """Keep the items.

        Args:
            knowledge: The text.
            questions: Ids and questions of each split.
            facts: Those of each question.
        """
        self._facts = facts
        super().__init__(
            NAME,
            {
                split: [
                    Item(id_, {"domain": NAME, "question": question, "knowledge": knowledge})
                    for id_, question in questions[split]
                ]
                for split in SPLITS
            },
            smoke_inputs=_SMOKE_INPUTS,
            metric="mean weight of facts",
            sealed=msgspec.to_builtins(facts),
            calls_model=True,
            task_files=task_files(NAME),
            answer_limits=AnswerLimits(characters=LONGEST_ANSWER),
        )

    def question(self, item: Item, answer: str) -> str:
        """Return what the judge is asked; the answer in it is marked as data."""
        question = item.inputs["question"]
        return ask(question, item.inputs["knowledge"], self._facts[question], answer)

    def judgement(self, item: Item, reply: str) -> Outcome | None:
        """Read the judge's reply; None if it does not say yes or no of each fact."""
        facts = self._facts[item.inputs["question"]]
        verdicts = read_verdicts(reply, len(facts))
        return None if verdicts is None else outcome_of(facts, *verdicts)

    def worst(self, item: Item) -> Outcome:
        """Nothing is stated, because no reply could be read."""
        return UNREADABLE


def knowledge_qa(folder: Path) -> KnowledgeDomain:
    """Read the files of a folder.

    Raises:
        DomainDataError: A file or column is missing, questions are too few, or a question has no
            fact that a person has agreed to.
    """
    knowledge, questions = read_knowledge(folder), read_questions(folder)
    path = folder / RUBRIC
    if not path.is_file():
        raise DomainDataError(
            f"{NAME}: {folder} holds no {RUBRIC}; `hyperspace rubric {folder} --model M` drafts one"
        )
    everything = [question for split in SPLITS for _, question in questions[split]]
    return KnowledgeDomain(knowledge, questions, facts_of(read_rubric(path), everything, path))


make = from_folder(NAME, f"{KNOWLEDGE}, {NAME}.csv and {RUBRIC}")(knowledge_qa)


def read_knowledge(folder: Path) -> str:
    """Read the text that answers come from.

    Raises:
        DomainDataError: There is none, it is too long, or no UTF-8 text.
    """
    path = folder / KNOWLEDGE
    try:
        text = read_given(path).decode()
    except Unreadable as reason:
        raise DomainDataError(f"{NAME}: {path} {reason}") from reason
    except UnicodeDecodeError as error:
        raise DomainDataError(f"{NAME}: {path} is no UTF-8 text: {error}") from error
    if not text.strip() or len(text) > MOST_KNOWLEDGE:
        raise DomainDataError(
            f"{NAME}: {path} has {len(text):,} characters; 1 to {MOST_KNOWLEDGE:,} are read"
        )
    return text


def read_questions(folder: Path) -> Questions:
    """Read ids and questions of each split.

    Raises:
        DomainDataError: A file or column is missing, or a question is empty or there twice.
    """
    path = whole_file(NAME, folder, _COLUMNS)
    if path is None:
        paths = {split: split_file(NAME, folder, split, _COLUMNS) for split in SPLITS}
        read: Questions = {split: _questions(paths[split], split) for split in SPLITS}
    else:
        read = deal_in_thirds(NAME, _questions(path, "all"), path)
    counts = Counter(question for split in SPLITS for _, question in read[split])
    if twice := [question for question, count in counts.items() if count > 1]:
        raise DomainDataError(f"{NAME}: the question {twice[0]!r} of {folder} is there twice")
    return read


def _questions(path: Path, part: str) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for number, record in enumerate(read_records(NAME, path, _COLUMNS), start=1):
        question = " ".join(record["Question"].split())
        if not question:
            raise DomainDataError(f"{NAME}: row {number} of {path} has an empty Question")
        rows.append((hashed_id(NAME, part, number, question), question))
    return rows
