"""Questions go to a model one by one; the facts it finds are appended to rubric.csv.

What is there already is never touched, so a person may review while the rest is drafted, and the
same command goes on after a kill.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hyperspace.cli.commands.rubric.options import RubricOptions
from hyperspace.cli.commands.rubric.prompts import (
    DraftRefused,
    again_prompt,
    draft_prompt,
    read_draft,
)
from hyperspace.kernel.evaluation.outages import raise_outage
from hyperspace.kernel.files import pretty_json, write_atomically
from hyperspace.kernel.run.limits import open_ledger
from hyperspace.kernel.state.terms import read_terms, terms_in_force
from hyperspace.launch.run_models import at_work, resolve_models
from hyperspace.messages import ChatRequest, Message
from hyperspace.models.base import BadRequest, ContextOverflow, Model, ModelError
from hyperspace.models.names import asked_name
from hyperspace.spending.ledger_lines import Account
from hyperspace.spending.metered import Payer, paying
from hyperspace.tasks.base import SPLITS
from hyperspace.tasks.knowledge_qa.domain import read_knowledge, read_questions
from hyperspace.tasks.knowledge_qa.rubric import RUBRIC, Fact, read_rubric, rubric_text

BESIDE: Final = ".hyperspace-rubric"  # folder of the ledger and the limits
TRIES: Final = 2


class Drafts(msgspec.Struct):
    """What came of one command.

    Attributes:
        drafted: Questions that have got facts.
        facts: These facts.
        unreviewed: Facts of the file that no person has agreed to.
        failed: Questions that are left without, and why.
        calls: Calls that were paid or may have been, earlier commands included.
        usd: Money that they took.
    """

    drafted: int = 0
    facts: int = 0
    unreviewed: int = 0
    failed: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    calls: int = 0
    usd: float = 0.0


async def draft(
    folder: Path, options: RubricOptions, drafts: Drafts, tell: Callable[[str], None]
) -> None:
    """Draft facts for every question that has none.

    Args:
        folder: With knowledge.md and the questions.
        options: Who drafts, and what that may take.
        drafts: Filled in as it goes.
        tell: Told a line for each question.

    Raises:
        DomainDataError: A file of the folder is missing or malformed.
        UnknownModel, AuthFailed: The model cannot be asked.
        RunPaused: It does not answer, or a limit is reached; the same command goes on.
    """
    knowledge, questions, path = read_knowledge(folder), read_questions(folder), folder / RUBRIC
    judged = {fact.question for fact in read_rubric(path)} if path.exists() else set[str]()
    everything = [question for split in SPLITS for _, question in questions[split]]
    lacking = [question for question in everything if question not in judged]
    if lacking:
        await _draft_all(folder, knowledge, lacking, options, drafts, tell)
    if path.exists():
        drafts.unreviewed = sum(not fact.reviewed for fact in read_rubric(path))


async def _draft_all(
    folder: Path,
    knowledge: str,
    questions: Sequence[str],
    options: RubricOptions,
    drafts: Drafts,
    tell: Callable[[str], None],
) -> None:
    beside = folder / BESIDE
    beside.mkdir(exist_ok=True)
    terms = terms_in_force(options.terms, read_terms(beside / "limits.json"))
    prices = terms.table()
    models = resolve_models((options.model,), None)
    async with at_work(models, prices if terms.need_prices else None):
        write_atomically(beside / "limits.json", pretty_json(terms))
        with open_ledger(beside / "ledger.jsonl", terms.limits) as ledger:
            try:
                for number, question in enumerate(questions, start=1):
                    with paying(Payer(ledger, prices, Account("rubric", 0, "draft", "", ""))):
                        facts = await _facts_for(models.models[0], knowledge, question, drafts)
                    if facts:
                        _append(folder / RUBRIC, facts)
                        drafts.drafted += 1
                        drafts.facts += len(facts)
                    tell(f"{number}/{len(questions)}: {len(facts)} facts for {question!r}")
            finally:
                spent = ledger.budget.spent
                drafts.calls, drafts.usd = spent.calls + len(ledger.budget.reserved), spent.cost_usd


async def _facts_for(model: Model, knowledge: str, question: str, drafts: Drafts) -> list[Fact]:
    """Ask, and once more where the reply cannot be used; no facts if that cannot be, either."""
    messages = (Message("user", draft_prompt(knowledge, question)),)
    why = ""
    for _ in range(TRIES):
        try:
            reply = await model.complete(ChatRequest(asked_name(model.name), messages))
        except (BadRequest, ContextOverflow) as error:
            why = str(error)
            break
        except ModelError as error:
            raise_outage(error)
        try:
            return read_draft(reply.text, knowledge, question)
        except DraftRefused as refused:
            why = str(refused)
        answer = Message("assistant", reply.text, thoughts=reply.thoughts)
        messages += (answer, Message("user", again_prompt(why)))
    drafts.failed[question] = why
    return []


def _append(path: Path, facts: list[Fact]) -> None:
    """Add rows in one write, so that a kill leaves all of them or none."""
    text = rubric_text(facts)
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            text = text.removeprefix(rubric_text(()))
            text = text if file.read(1) == b"\n" else f"\n{text}"
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
