"""What a model is asked to draft, and how its reply is read."""

from typing import Final

import msgspec

from guards.parsing import decode_json
from hyperspace.tasks.fenced import fence
from hyperspace.tasks.knowledge_qa.rubric import LONGEST_FACT, WEIGHTS, Fact

LEAST, MOST = 1, 6  # facts of a question
_PROMPT: Final = """You write down what a complete answer to a question has to state.

# What is known
{known}
{knowledge}
{known}

# Question
{question}

# Your task
Give two to five facts; one where there is no more to say. Each can be found to be stated or not
stated in an answer on its own, without the others and without this text. None repeats another. A
fact that is not asked for is none. If what is known does not answer the question, the one fact is
that it is not known.

- fact: one sentence of at most {longest} characters.
- weight: 3 where an answer without it is wrong, 2 where it is incomplete, 1 where it is less
  helpful.
- quote: the words of what is known that the fact follows from, copied exactly; empty only where the
  fact is that something is not known.

Reply with a JSON array and nothing else: [{{"fact": "...", "weight": 3, "quote": "..."}}]
"""


class DraftRefused(Exception):
    """A reply holds no facts that can be used; the message says why, for the model."""


class _Draft(msgspec.Struct, frozen=True):
    fact: str
    weight: int
    quote: str = ""


def draft_prompt(knowledge: str, question: str) -> str:
    """Return what a model is asked."""
    known = fence("known", knowledge)
    return _PROMPT.format(known=known, knowledge=knowledge, question=question, longest=LONGEST_FACT)


def again_prompt(why: str) -> str:
    """Return what a model is told whose reply was refused."""
    return f"That cannot be used: {why}. Reply with the whole JSON array once more."


def read_draft(reply: str, knowledge: str, question: str) -> list[Fact]:
    """Read a reply.

    Raises:
        DraftRefused: It is no array of facts, or a quote does not stand in the text.
    """
    begin, end = reply.find("["), reply.rfind("]")
    try:
        drafts = decode_json(reply[begin : end + 1], list[_Draft])
    except msgspec.DecodeError as error:
        raise DraftRefused(f"it is no JSON array of facts ({error})") from error
    if not LEAST <= len(drafts) <= MOST:
        raise DraftRefused(f"it has {len(drafts)} facts, and {LEAST} to {MOST} are wanted")
    facts = [_fact(draft, knowledge, question) for draft in drafts]
    if len({fact.fact.casefold() for fact in facts}) < len(facts):
        raise DraftRefused("two facts are the same")
    return facts


def _fact(draft: _Draft, knowledge: str, question: str) -> Fact:
    fact, quote = _on_one_line(draft.fact), _on_one_line(draft.quote)
    if not fact or len(fact) > LONGEST_FACT:
        raise DraftRefused(f"a fact has 1 to {LONGEST_FACT} characters, and {fact[:50]!r} has not")
    if draft.weight not in WEIGHTS:
        raise DraftRefused(f"a weight is 1, 2 or 3, and that of {fact[:50]!r} is {draft.weight}")
    if quote not in _on_one_line(knowledge):
        raise DraftRefused(f"the quote {quote[:100]!r} does not stand in what is known")
    return Fact(question, fact, draft.weight, quote)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
