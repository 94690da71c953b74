import json
import os
import subprocess
import sys

import pytest

from hyperspace.cli.commands.rubric.prompts import draft_prompt, read_draft
from hyperspace.messages import ChatRequest, Message
from hyperspace.offline.policies.examiner import Examiner, best_sentences
from hyperspace.tasks.knowledge_qa.judging import ask, read_verdicts
from hyperspace.tasks.knowledge_qa.rubric import Fact
from tests.support.paths import ROOT

TEXT = """# Tides
The harbour opens at 6.30 in the morning. Boats longer than 12 metres need a pilot.
A pilot costs 80 crowns an hour. Nobody fishes on Sundays.
"""


def replied(prompt: str) -> str:
    return Examiner().reply(ChatRequest("examiner", (Message("user", prompt),))).text


def test_sentences_are_found_by_the_words_that_few_have() -> None:
    assert best_sentences(TEXT, "How much does a pilot cost?") == [
        "Boats longer than 12 metres need a pilot.",
        "A pilot costs 80 crowns an hour.",
    ]
    assert best_sentences(TEXT, "At which hour?") == ["A pilot costs 80 crowns an hour."]
    assert best_sentences(TEXT, "When does it open, in the morning?") == [
        "The harbour opens at 6.30 in the morning."
    ]
    assert best_sentences("", "Why?") == []


@pytest.mark.long
def test_sentences_that_share_as_much_are_in_the_order_of_the_text_in_every_process() -> None:
    code = (
        "from hyperspace.offline.policies.examiner import best_sentences\n"
        "text = open('docs/examples/atlas/knowledge.md').read()\n"
        "for question in open('docs/examples/atlas/knowledge_qa.csv').readlines()[1:]:\n"
        "    print(best_sentences(text, question))\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(12)
    }
    assert len(told) == 1 and len(*told) > 100


def test_a_draft_is_what_the_command_reads() -> None:
    question = "Who fishes on Sundays?"
    facts = read_draft(replied(draft_prompt(TEXT, question)), TEXT, question)
    assert facts == [Fact(question, "Nobody fishes on Sundays.", 3, "Nobody fishes on Sundays.")]
    (unknown,) = read_draft(replied(draft_prompt(TEXT, "Why?")), TEXT, "Why?")
    assert (unknown.fact, unknown.quote) == ("It is not known.", "")


def test_a_fact_is_stated_by_its_numbers_and_most_of_its_words() -> None:
    facts = [Fact("?", "A pilot costs 80 crowns an hour.", 3), Fact("?", "Boats need one.", 1)]

    def verdicts(answer: str) -> list[bool]:
        read = read_verdicts(replied(ask("?", TEXT, facts, answer)), 2)
        assert read is not None
        return read[0]

    assert verdicts("It is 80 crowns for each hour of a pilot.") == [True, False]
    assert verdicts("It is 90 crowns for each hour of a pilot.") == [False, False]
    assert verdicts("Boats need one") == [False, True]


def test_a_question_of_a_task_agent_is_answered_in_the_form_that_it_demands() -> None:
    inputs = json.dumps({"question": "Who needs a pilot?", "knowledge": TEXT})
    prompt = f'Inputs: {inputs}\nAnswer between <json> tags: {{"response": ...}} </json>'
    assert (
        "Boats longer than 12 metres need a pilot."
        in json.loads(replied(prompt).removeprefix("<json>").removesuffix("</json>"))["response"]
    )
