"""An examiner without a language model: it finds facts, states them and checks them by words alone.

A sentence of a text belongs to a question if they share words that few sentences have. It
understands nothing: another word for the same thing is another thing.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from math import fsum, log

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.offline.prompt import take_apart

MOST_FACTS = 2
LEAST_SHARE = 0.6  # of the points of the best sentence, or of the words of a fact
_SECTION = r"^# {}\n(.*?)(?=^# |\Z)"
_FENCED = r"^(-----{}-[0-9a-f]{{16}}-----)\n(.*?)\n\1$"
_HEADING = re.compile(r"^#.*$", re.MULTILINE)
_SENTENCE = re.compile(r"[^\s.!?][^.!?]*(?:[.](?=\w)[^.!?]*)*[.!?]")
_WORD = re.compile(r"[a-z]{3,}|\d+(?:[.]\d+)?")
_NUMBERED = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
_NOT_KNOWN = "It is not known."


class Examiner:
    """Drafts facts of a rubric, checks an answer against facts, or answers a question."""

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer the first user message, which asks for all."""
        prompt = next((m.content for m in request.messages if m.role == "user"), "")
        facts, answer = _part(_SECTION, "Facts", prompt), _part(_FENCED, "answer", prompt)
        knowledge = _part(_FENCED, "known", prompt)
        if facts and answer:
            return ChatReply(text=_verdicts(_NUMBERED.findall(facts), answer))
        if knowledge:
            return ChatReply(text=_draft(knowledge, _part(_SECTION, "Question", prompt)))
        return ChatReply(text=_answer(prompt))


def best_sentences(text: str, question: str) -> list[str]:
    """Return the sentences of a text that share most with a question, best first."""
    sentences = [" ".join(s.split()) for s in _SENTENCE.findall(_HEADING.sub("", text))]
    counts = Counter(word for sentence in sentences for word in words(sentence))
    wanted = words(question)

    def points(sentence: str) -> float:
        # Exact: sets have another order in each process, and a sum's last digit decides ties.
        return fsum(log(1 + len(sentences) / counts[word]) for word in words(sentence) & wanted)

    ranked = sorted(sentences, key=points, reverse=True)[:MOST_FACTS]
    least = LEAST_SHARE * points(ranked[0]) if ranked else 0.0
    return [sentence for sentence in ranked if points(sentence) > 0 and points(sentence) >= least]


def words(text: str) -> set[str]:
    """Return the words and numbers of a text."""
    return set(_WORD.findall(text.lower()))


def _part(form: str, name: str, prompt: str) -> str:
    match = re.search(form.format(name), prompt, re.DOTALL | re.MULTILINE)
    return match[match.re.groups].strip() if match else ""


def _answer(prompt: str) -> str:
    taken = take_apart(prompt)
    knowledge, question = (taken.inputs.get(name, "") for name in ("knowledge", "question"))
    text = " ".join(best_sentences(knowledge, question)) or _NOT_KNOWN
    return f"<json>\n{json.dumps({taken.key: text})}\n</json>" if taken.key else text


def _draft(knowledge: str, question: str) -> str:
    sentences = best_sentences(knowledge, question)
    facts = [
        {"fact": sentence, "weight": 3 if number == 0 else 1, "quote": sentence}
        for number, sentence in enumerate(sentences)
    ]
    return json.dumps(facts or [{"fact": _NOT_KNOWN, "weight": 3, "quote": ""}])


def _verdicts(facts: Sequence[str], answer: str) -> str:
    """Say of each fact whether its numbers and most of its words stand in an answer."""
    there, told = words(answer), list[str]()
    for wanted in map(words, facts):
        numbers = {word for word in wanted if word[0].isdigit()}
        is_stated = numbers <= there and len(wanted & there) >= LEAST_SHARE * len(wanted)
        told.append("yes" if is_stated else "no")
    return f"<facts>{', '.join(told)}</facts>\n<contradicts>no</contradicts>"
