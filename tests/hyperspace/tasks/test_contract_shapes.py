"""What a domain must keep by its shape: artefacts, judged answers, episodes, fresh validation."""

from collections.abc import Mapping
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, Item, Split
from hyperspace.tasks.contract import broken_promises
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.shapes.cases import CaseMalformed, OracleAnswer, TaskCase
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.table import Row, TableDomain

ITEMS: dict[Split, list[Item]] = {split: [Item(f"{split}-1", {"split": split})] for split in SPLITS}


class PlainSquares(GradedDomain):
    """An answer is a number; its square is checked."""

    def verify(self, item: Item, artefact: str) -> Outcome:
        return Outcome(1.0, "it is 2") if artefact == "2" else Outcome(0.0, "it is not 2")


class Squares(PlainSquares):
    """The same, with validation that can be renewed."""

    def renewed(self, epoch: int) -> "Squares":
        return self.with_items({"val": [Item("val-1", {"split": "val", "epoch": epoch})]})


class GenerousSquares(Squares):
    def verify(self, item: Item, artefact: str) -> Outcome:
        return Outcome(0.5)


class NanSquares(Squares):
    def verify(self, item: Item, artefact: str) -> Outcome:
        return Outcome(float("nan"), "two\nlines")


class StaleSquares(Squares):
    def renewed(self, epoch: int) -> "Squares":
        return self


class FailingSquares(Squares):
    def verify(self, item: Item, artefact: str) -> Outcome:
        return Outcome(float(artefact), "a number")


class Essays(GradedDomain):
    """An answer is judged by a model."""

    def question(self, item: Item, answer: str) -> str:
        return f"Is this good? {answer!r}"

    def judgement(self, item: Item, reply: str) -> Outcome | None:
        return Outcome(1.0, "good") if reply == "yes" else None

    def worst(self, item: Item) -> Outcome:
        return Outcome(0.0, "nobody knows")


class LenientEssays(Essays):
    def judgement(self, item: Item, reply: str) -> Outcome | None:
        return Outcome(1.0, "good")


class Countdown:
    """An episode of three steps."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.malformed = 0

    def observe(self) -> dict[str, Any] | None:
        return {"left": self.left} if self.left else None

    def act(self, action: str) -> None:
        self.left -= 1
        self.malformed += action != "down"

    def outcome(self) -> Outcome:
        return Outcome(0.0, f"{self.malformed} malformed actions")

    def draw(self) -> str:
        return "|" * self.left

    def close(self) -> None:
        self.left = 0


class Countdowns(GradedDomain):
    def open(self, item: Item) -> Countdown:
        return Countdown(3)


class RandomCountdowns(Countdowns):
    opened = 1

    def open(self, item: Item) -> Countdown:
        self.opened += 1
        return Countdown(self.opened)


class ShortCountdowns(Countdowns):
    def open(self, item: Item) -> Countdown:
        return Countdown(0)


class SetCountdown(Countdown):
    def observe(self) -> dict[str, Any] | None:
        return {"left": {self.left}} if self.left else None


class SetCountdowns(Countdowns):
    def open(self, item: Item) -> Countdown:
        return SetCountdown(3)


def made(kind: type[GradedDomain], **options: Any) -> GradedDomain:
    if issubclass(kind, Squares):
        first = [Item("val-1", {"split": "val", "epoch": 0})]
        return kind("toy", {**ITEMS, "val": first}, smoke_inputs={}, **options)
    return kind("toy", ITEMS, smoke_inputs={}, **options)


@pytest.mark.parametrize("kind", [Squares, Essays, Countdowns])
def test_each_shape_can_be_kept(kind: type[GradedDomain]) -> None:
    assert broken_promises(made(kind), made(kind)) == []


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (GenerousSquares, "the answer '' has the score 0.5, not 0"),
        (GenerousSquares, "the answer '' has no reason of one line"),
        (NanSquares, "the answer '' has the score nan, which is not finite or below 0"),
        (NanSquares, "the answer '' has no reason of one line"),
        (StaleSquares, "validation items of two epochs are the same"),
        (FailingSquares, "it failed while it was checked: ValueError: could not convert"),
        (LenientEssays, "an empty reply of the judge is read as a judgement"),
        (RandomCountdowns, "played twice by equal actions, the first episode of train differs"),
        (SetCountdowns, "what the first episode of val shows is no dictionary of JSON values"),
        (ShortCountdowns, "the first episode of val is over before its first step"),
    ],
)
def test_what_a_shape_does_not_keep_is_said(kind: type[GradedDomain], says: str) -> None:
    sentences = broken_promises(made(kind), made(kind))
    assert any(says in sentence for sentence in sentences), sentences


def test_answers_need_room() -> None:
    domain = made(Squares, answer_limits=AnswerLimits(cpu_s=0))
    (told,) = broken_promises(domain, domain)
    assert told.startswith("its answer limits leave no room for an answer")


class Parity(TableDomain):
    """Is a number odd or even? Its oracle can be asked of any."""

    answers = ("even", "odd")

    def normal_form(self, inputs: Mapping[str, Any]) -> str:
        number = inputs.get("number")
        if not isinstance(number, int):
            raise CaseMalformed("a number is needed")
        return str(number)

    def decide(self, inputs: Mapping[str, Any]) -> OracleAnswer:
        return OracleAnswer("odd" if inputs["number"] % 2 else "even", "number")


class WrongParity(Parity):
    def decide(self, inputs: Mapping[str, Any]) -> OracleAnswer:
        return OracleAnswer("odd", "number")


class LaxParity(Parity):
    def normal_form(self, inputs: Mapping[str, Any]) -> str:
        return "any"


def parity(kind: type[Parity]) -> Parity:
    rows: dict[Split, list[Row]] = {
        split: [Row(f"{split}-{n}", {"number": n + 2 * at}, ("even", "odd")[n % 2]) for n in (0, 1)]
        for at, split in enumerate(SPLITS)
    }
    return kind("parity", rows, smoke_inputs={"number": 100}, staged_items=2)


def test_an_oracle_agrees_with_the_items() -> None:
    assert broken_promises(parity(Parity), parity(Parity)) == []


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (WrongParity, "the oracle says 'odd' of train-0, which is even"),
        (LaxParity, "the oracle says two things of one normal form"),
        (LaxParity, "inputs without anything have a normal form"),
    ],
)
def test_what_an_oracle_does_not_keep_is_said(kind: type[Parity], says: str) -> None:
    sentences = broken_promises(parity(kind), parity(kind))
    assert any(says in sentence for sentence in sentences), sentences


def test_cases_stand_behind_the_items_of_a_split() -> None:
    domain = parity(Parity)
    further = domain.with_cases({"val": [TaskCase("case-1", {"number": 9}, "odd", "number")]})
    assert [item.id for item in further.items("val")] == ["val-0", "val-1", "case-1"]
    assert further.labels("val")["case-1"] == "odd"
    assert further.items("train") == domain.items("train")
    assert further.data_sha256 == domain.data_sha256


CLASS = """
from __future__ import annotations
import dataclasses
import typing

@dataclasses.dataclass
class Sized:
    most: typing.ClassVar[int] = 3
"""
AGREES = "def score(inputs, answer):\n    return 1.0 if answer == '2' else 0.0\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (AGREES, ""),
        (f"{CLASS}\n{AGREES}", ""),
        ("import no_such_module", "task/score.py cannot be used: ModuleNotFoundError"),
        ("raise SystemExit(0)", "task/score.py cannot be used: SystemExit"),
        ("def scores(inputs, answer): ...", "task/score.py defines no function score"),
        (AGREES.replace("0.0", "0.1"), "task/score.py gives 0.1 for the answer ''"),
        (AGREES.replace("0.0", "None"), "task/score.py gives None for the answer ''"),
        ("def score(i, a):\n    raise ValueError('no')", "gives ValueError: no for the answer"),
    ],
)
def test_the_scorer_that_agents_are_shown_says_what_the_host_does(text: str, told: str) -> None:
    files = {"README.md": b"squares", "score.py": text.encode()}
    domain = PlainSquares("squares", ITEMS, smoke_inputs={}, task_files=files)
    sentences = broken_promises(domain, domain)
    assert bool(sentences) == bool(told)
    assert all(told in sentence for sentence in sentences)
