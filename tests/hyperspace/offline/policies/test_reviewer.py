"""`offline/reviewer` on tries that are written down here."""

import json
from typing import Any

import pytest

from hyperspace.extensions.levels.reviewing import read_advice
from hyperspace.messages import ChatRequest, Message
from hyperspace.offline.policies.reviewer import Reviewer, advise, classes_of, pattern_of

CODE = "def kind_3(a, b):\n    return a > b\n"


def item(number: int, kind: str, label: str = "yes", answer: str = "no", **more: Any) -> Any:
    inputs = {"kind": kind, "name": f"n{number}", "a": number, **more}
    return {"id": f"train-{number}", "inputs": inputs, "label": label, "prediction": answer}


FAILING = [item(n, "kind_3" if n < 6 else f"kind_{n % 3}") for n in range(9)]


def made(number: int, val: float | None, **more: Any) -> dict[str, Any]:
    told = {"try": number, "of": number - 1, "valid": True, "kept": False, "train_score": 0.5}
    return told | {"val_score": val} | more


def asked(*tries: dict[str, Any]) -> ChatRequest:
    lines = "\n".join(map(json.dumps, tries))
    text = f"Review.\n```python\n{CODE}\n```\n\n```jsonl\n{lines}\n```\n"
    return ChatRequest("reviewer", (Message("user", text),))


def test_it_names_the_class_that_stands_out_and_where_it_is_in_the_code() -> None:
    request = asked(made(1, 0.5, failing=FAILING, of=0), made(0, 0.5, failing=["train-0"]))
    reply = Reviewer().reply(request)
    advice = read_advice(reply.text)
    assert advice.issue_type == "wrong: kind kind_3"
    assert "Look at `kind_3`." in advice.fix
    assert "mended 0 items and broke 8" in advice.fix
    assert advice.evidence == tuple(f"train-{n}" for n in range(6))
    assert advice.confidence == pytest.approx(6 / 9, abs=0.001)
    assert Reviewer().reply(request) == reply


def test_a_name_of_each_item_is_no_class() -> None:
    assert {c.name.split()[0] for c in classes_of(FAILING)} == {"kind", "label"}


def test_without_classes_among_inputs_labels_and_leanings_tell() -> None:
    failing = [
        {"id": f"t{n}", "label": label, "prediction": "x", "inputs": {"size": size, "age": n % 2}}
        for n, (label, size) in enumerate([("in", 1), ("in", 1.5), ("in", 2), ("out", 9)])
    ]
    worst = classes_of(failing)[0]
    assert worst.name.startswith("label in answered x, mostly by size")
    assert classes_of(failing, "size = 3")[0].places == ("size",)


@pytest.mark.parametrize(
    ("pattern", "tries"),
    [
        ("none", [made(1, 0.6, kept=True), made(0, 0.5)]),
        ("plateau", [made(n, 0.5, of=0) for n in (3, 2, 1)] + [made(0, 0.5, kept=True)]),
        (
            "persistent_regression",
            [made(n, 0.4, of=0) for n in (3, 2, 1)] + [made(0, 0.5, kept=True)],
        ),
        ("oscillation", [made(n, 0.5 + 0.1 * (n % 2), kept=True) for n in range(5, -1, -1)]),
        ("overfitting", [made(1, 0.4, of=0, train_score=0.9), made(0, 0.5)]),
        (
            "ignored_advice",
            [made(3, 0.5), *(made(n, 0.5, kept=True, advice_followed="no") for n in (2, 1, 0))],
        ),
    ],
)
def test_it_tells_what_the_history_shows(pattern: str, tries: list[dict[str, Any]]) -> None:
    assert pattern_of(tries) == pattern


def test_where_nothing_came_of_its_advice_it_names_another_class() -> None:
    before = made(1, 0.5, of=0, advice={"issue_type": "wrong: kind kind_3"})
    advice = advise([made(2, 0.5, of=0, failing=FAILING), before, made(0, 0.5, kept=True)], CODE)
    assert advice["issue_type"] != "wrong: kind kind_3"


def test_strings_of_the_code_tell_classes_of_texts_and_where_they_are_dealt_with() -> None:
    code = '''
def count(text):
    """Count "- and "+ too."""
    if text.startswith("["):
        return list_items(text)
    return {"dashes": text.count("-"), "pluses": text.count("+")}

def list_items(text):
    return {"entries": text.count(","), "words": "apple" in text}
'''
    texts = ["[a", "[b", "[c", "x-y", "z-q", "an Apple", "the apple", "u", "v", "w"]
    failing = [{"id": f"t{n}", "inputs": {"text": text}} for n, text in enumerate(texts)]
    classes = {c.name: (c.places, len(c.ids)) for c in classes_of(failing, code)}
    assert classes == {
        "text with [": (("list_items", "entries", "words"), 3),
        "text with -": (("dashes",), 2),
        "text with apple": (("words",), 2),
    }
    assert not classes_of(failing, "def count(text:")


def test_code_that_does_not_run_comes_first() -> None:
    broken = made(1, None, valid=False, error="signature gate: no forward", failing=[])
    advice = advise([broken, made(0, 0.5)], CODE)
    assert advice["severity"] == "critical"
    assert "signature gate: no forward" in advice["fix"]


def test_a_prompt_without_tries_and_hidden_items_are_no_trouble() -> None:
    prose = Reviewer().reply(ChatRequest("reviewer", (Message("user", "Hello?"),)))
    assert prose.text == "I review tries, and I see none."
    advice = read_advice(Reviewer().reply(asked(made(1, None), made(0, None))).text)
    assert (advice.issue_type, advice.evidence) == ("nothing fails in sight", ())
