"""Evaluation against workers that behave in scripted ways; the real one is in the run tests."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.evaluation.blocks import BLOCK_ITEMS_OF_CODE, MAX_CRASHES
from hyperspace.kernel.evaluation.evaluate import evaluate, evaluate_split
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator
from hyperspace.kernel.evaluation.sampling import sampled
from hyperspace.kernel.state.rng import stream
from hyperspace.tasks.base import Item
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.limited import LONGEST_ANSWER

pytestmark = pytest.mark.anyio
DOMAIN = load("repo_quality")
LABELS = {split: DOMAIN.labels(split) for split in ("train", "val")}
Answer = Callable[[str, Item], Mapping[str, Any]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class ScriptedWorker:
    """Answers by a function and remembers what it was asked."""

    def __init__(self, answer: Answer, requests: list[tuple[str, str, str]]) -> None:
        self._answer = answer
        self._asked = requests

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        self._asked.append((purpose, item.id, token))
        return self._answer(purpose, item)


class Record:
    """An evaluator whose workers share one script."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.workers = 0
        self.progress: list[tuple[str, int, int]] = []
        self._answer = answer

    @asynccontextmanager
    async def _open(self, _cpu_s: int | None) -> AsyncGenerator[ScriptedWorker]:
        self.workers += 1
        yield ScriptedWorker(self._answer, self.asked)

    def evaluator(self, seed: int = 1) -> Evaluator:
        return Evaluator(DOMAIN, self._open, lambda name: stream(seed, name), self._count)

    def _count(self, split: str, done: int, total: int) -> None:
        self.progress.append((split, done, total))

    def items(self, purpose: str) -> list[str]:
        return [item for why, item, _ in self.asked if why == purpose]


def right(purpose: str, item: Item) -> Mapping[str, Any]:
    return {"prediction": LABELS[purpose][item.id]}


def wrong(_purpose: str, _item: Item) -> Mapping[str, Any]:
    return {"prediction": "no label"}


async def test_all_right_scores_one_on_train_and_validation() -> None:
    record = Record(right)
    results = await evaluate(record.evaluator())
    assert record.progress[-1] == ("val", len(LABELS["val"]), len(LABELS["val"]))
    assert {split: result.score for split, result in results.items()} == {"train": 1.0, "val": 1.0}
    assert not results["train"].staged_only


async def test_a_staged_pass_without_a_hit_ends_it_before_validation() -> None:
    record = Record(wrong)
    results = await evaluate(record.evaluator())
    assert list(results) == ["train"]
    assert results["train"].staged_only
    assert len(record.asked) == DOMAIN.staged_items


@pytest.mark.parametrize("samples", [DOMAIN.staged_items - 1, DOMAIN.staged_items])
async def test_a_staged_pass_that_is_all_of_train_is_a_gate_too(samples: int) -> None:
    few = sampled(DOMAIN, samples)
    missed, hit = Record(wrong), Record(right)
    results = await evaluate(msgspec.structs.replace(missed.evaluator(), domain=few))
    assert list(results) == ["train"]
    assert results["train"].staged_only
    assert list(await evaluate(msgspec.structs.replace(hit.evaluator(), domain=few))) == [
        "train",
        "val",
    ]


async def test_without_the_staged_gate_everything_is_evaluated() -> None:
    record = Record(wrong)
    results = await evaluate(msgspec.structs.replace(record.evaluator(), staged=False))
    assert {split: result.score for split, result in results.items()} == {"train": 0.0, "val": 0.0}
    assert not results["train"].staged_only


async def test_the_order_is_shuffled_by_the_seed_and_tokens_tell_nothing() -> None:
    first, again, other = Record(right), Record(right), Record(right)
    for record, seed in ((first, 1), (again, 1), (other, 2)):
        await evaluate(record.evaluator(seed))
    ids = [item.id for item in DOMAIN.items("val")]
    assert first.asked == again.asked
    assert sorted(first.items("val")) == sorted(ids) != first.items("val")
    assert first.items("val") != other.items("val")
    assert len({token for *_, token in first.asked}) == len(first.asked)


async def test_an_item_that_fails_is_wrong_and_named() -> None:
    bad = DOMAIN.items("train")[3].id

    def answer(purpose: str, item: Item) -> Mapping[str, Any]:
        return {"error": "ValueError: no"} if item.id == bad else right(purpose, item)

    result = await evaluate_split(Record(answer).evaluator(), "train")
    assert result.score == pytest.approx(1 - 1 / len(DOMAIN.items("train")))
    assert result.errors == {bad: "ValueError: no"}


async def test_a_prediction_that_is_no_text_is_an_error() -> None:
    def answer(_purpose: str, _item: Item) -> Mapping[str, Any]:
        return {"prediction": 1}

    result = await evaluate_split(Record(answer).evaluator(), "train")
    assert len(result.errors) == result.items


async def test_a_prediction_beyond_the_hosts_bound_is_an_error() -> None:
    def answer(_purpose: str, _item: Item) -> Mapping[str, Any]:
        return {"prediction": "x" * (LONGEST_ANSWER + 1)}

    result = await evaluate_split(Record(answer).evaluator(), "train")
    assert len(result.errors) == result.items
    assert result.predictions == {}


async def test_what_an_error_says_is_bounded_printable_and_equal_for_equal_runs() -> None:
    def answer(_purpose: str, _item: Item) -> Mapping[str, Any]:
        return {"error": f"\x1b[31m{object()!r}" + "y" * 9000}

    (first, *_), (second, *_) = [
        list((await evaluate_split(Record(answer).evaluator(), "train")).errors.values())
        for _ in range(2)
    ]
    assert first == second
    assert len(first) <= 500
    assert first.isprintable()


async def test_code_that_ends_its_sandbox_gets_a_fresh_one_for_the_rest() -> None:
    bad = DOMAIN.items("train")[0].id

    def answer(purpose: str, item: Item) -> Mapping[str, Any]:
        if item.id == bad:
            raise SandboxEnded("exited", "os._exit(0)")
        return right(purpose, item)

    record = Record(answer)
    result = await evaluate_split(record.evaluator(), "train")
    assert record.workers == 1 + -(-result.items // BLOCK_ITEMS_OF_CODE)
    assert len(result.predictions) == result.items - 1


async def test_code_that_keeps_ending_its_sandbox_is_invalid() -> None:
    def answer(_purpose: str, _item: Item) -> Mapping[str, Any]:
        raise SandboxEnded("exited", "os._exit(0)")

    record = Record(answer)
    with pytest.raises(CandidateFailed, match="exited"):
        await evaluate_split(record.evaluator(), "train")
    assert record.workers == MAX_CRASHES


async def test_a_wall_clock_that_strikes_once_is_the_machines_fault() -> None:
    struck: set[str] = set()

    def answer(purpose: str, item: Item) -> Mapping[str, Any]:
        if item.id not in struck and len(struck) < MAX_CRASHES + 2:
            struck.add(item.id)
            raise SandboxEnded("wall_clock", "300 s")
        return right(purpose, item)

    result = await evaluate_split(Record(answer).evaluator(), "train")
    assert result.score == 1.0
