"""`--eval-repeats`: several passes against workers that answer differently each time."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from fractions import Fraction
from functools import partial
from typing import Any

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.evaluation.blocks import MAX_CRASHES
from hyperspace.kernel.evaluation.evaluate import evaluate, evaluate_split, mean_score, pass_names
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator
from hyperspace.kernel.files import canonical_json
from hyperspace.kernel.state.digest import digest_of
from hyperspace.kernel.state.manifest import Manifest, PassAnswers, Repeats, SplitResult
from hyperspace.kernel.state.rng import stream
from hyperspace.launch.configuration import config_of
from hyperspace.tasks.base import Item
from tests.support.runs.manifests import manifest
from tests.support.tasks.asking import ITEMS, asking
from transfer_experiment.options import PairOptions

DOMAIN = asking(None, {})
LABELS = {split: DOMAIN.labels(split) for split in ("train", "val")}
IDS = [item.id for item in DOMAIN.items("val")]
STAGED = DOMAIN.staged_items


class Script:
    """What is answered in each pass, and what was asked.

    Attributes:
        right: For each pass, the items that are answered rightly.
        dying: For each pass, the items at which the code ends its sandbox.
        asked: For each pass, the ids in the order in which they were asked.
        progress: Items done and to be done, as told.
    """

    def __init__(self, right: Sequence[set[str]], dying: Sequence[set[str]] = ()) -> None:
        self.right = right
        self.dying = dying or [set[str]()] * len(right)
        self.asked: list[list[str]] = [[] for _ in right]
        self.progress: list[tuple[str, int, int]] = []

    def evaluator(self) -> Evaluator:
        first, *further = (self._evaluator(number) for number in range(len(self.right)))
        return msgspec.structs.replace(first, repeats=further)

    def answer(self, number: int, split: str, item: str) -> Mapping[str, Any]:
        self.asked[number].append(item)
        if item in self.dying[number]:
            raise SandboxEnded("exited", f"at {item}")
        label = LABELS[split][item]
        return {"prediction": label if item in self.right[number] else "no label"}

    def _evaluator(self, number: int) -> Evaluator:
        return Evaluator(
            DOMAIN,
            partial(self._open, number),
            lambda name: stream(3, number, name),
            lambda split, done, total: self.progress.append((split, done, total)),
        )

    @asynccontextmanager
    async def _open(self, number: int, _cpu_s: int | None) -> AsyncGenerator["Worker"]:
        yield Worker(self, number)


class Worker:
    """A worker of one pass."""

    def __init__(self, script: Script, number: int) -> None:
        self._script = script
        self._number = number

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        return self._script.answer(self._number, purpose, item.id)


def on_validation(script: Script) -> SplitResult:
    return anyio.run(evaluate_split, script.evaluator(), "val")


def evaluated(script: Script) -> dict[str, SplitResult]:
    return anyio.run(evaluate, script.evaluator())


@pytest.mark.long
@given(st.lists(st.sets(st.sampled_from(IDS)), min_size=2, max_size=4))
def test_the_score_is_the_mean_of_the_passes_and_each_pass_is_on_record(
    right: list[set[str]],
) -> None:
    result = on_validation(Script(right))
    assert result.scores == tuple(len(ids) / ITEMS for ids in right)
    assert result.score == pytest.approx(sum(map(len, right)) / len(right) / ITEMS)
    scores = [DOMAIN.score("val", answers.predictions) for answers in result.passes]
    assert tuple(scores) == result.scores
    assert result.passes[0].predictions == result.predictions


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6),
    st.integers(1, 60),
)
def test_code_that_always_scores_the_same_scores_that(score: float, repeats: int) -> None:
    assert mean_score([score] * repeats) == score


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_the_order_of_passes_does_not_change_their_mean(scores: list[float]) -> None:
    exact = sum(map(Fraction, scores)) / len(scores)
    assert mean_score(scores) == mean_score(reversed(scores)) == float(exact)


def test_a_lucky_draw_is_no_longer_the_best() -> None:
    lucky = on_validation(Script([set(IDS), set()]))
    steady = on_validation(Script([set(IDS[:9]), set(IDS[:9])]))
    assert lucky.passes[0].predictions == LABELS["val"]
    assert lucky.score < steady.score


def test_each_pass_asks_every_item_in_an_order_of_its_own() -> None:
    script = Script([set(), set(), set()])
    on_validation(script)
    assert [sorted(items) for items in script.asked] == [sorted(IDS)] * 3
    assert len(set(map(tuple, script.asked))) == 3


def test_progress_counts_the_items_of_all_passes() -> None:
    script = Script([set(), set()])
    on_validation(script)
    assert script.progress == [("val", done, 2 * ITEMS) for done in range(1, 2 * ITEMS + 1)]


def test_a_staged_pass_that_scores_nothing_is_made_up_for_by_another_one() -> None:
    script = Script([set(), {item.id for item in DOMAIN.items("train")[:1]}])
    results = evaluated(script)
    assert list(results) == ["train", "val"]
    assert not results["train"].staged_only
    assert results["train"].scores == (0.0, 1 / ITEMS)


def test_staged_passes_that_all_score_nothing_end_it_before_the_rest() -> None:
    script = Script([set(), set()])
    results = evaluated(script)
    assert list(results) == ["train"]
    assert results["train"].staged_only
    assert [len(items) for items in script.asked] == [STAGED, STAGED]


def test_crashes_are_counted_pass_by_pass() -> None:
    few, many = set(IDS[: MAX_CRASHES - 1]), set(IDS[:MAX_CRASHES])
    result = on_validation(Script([set(IDS)] * 2, [few, few]))
    assert [len(answers.errors) for answers in result.passes] == [MAX_CRASHES - 1] * 2
    with pytest.raises(CandidateFailed, match="exited"):
        on_validation(Script([set(IDS)] * 2, [set(), many]))


def with_errors(words: str) -> Manifest:
    further = PassAnswers({"a": "yes"}, {"b": words})
    result = SplitResult({"a": "yes"}, 0.5, 2, repeats=Repeats((0.5, 0.5), (further,)))
    return msgspec.structs.replace(manifest(1, 0.5), splits={"val": result})


def test_the_words_of_an_error_in_a_later_pass_are_not_in_the_digest() -> None:
    assert digest_of([with_errors("at 0x7f")]) == digest_of([with_errors("at 0x80")])


def test_a_record_of_passes_is_read_as_it_was_written() -> None:
    made = with_errors("no")
    assert msgspec.json.decode(canonical_json(made), type=Manifest) == made


def test_one_pass_leaves_no_trace_in_records() -> None:
    models = "offline/tinker", "offline/magpie"
    options = PairOptions(models=models, domain="repo_quality")
    once, twice = (
        canonical_json(config_of(msgspec.structs.replace(options, eval_repeats=times), "0"))
        for times in (1, 2)
    )
    assert b"repeats" not in once
    assert b'"eval_repeats":2' in twice
    assert b"repeats" not in canonical_json(on_validation(Script([set(IDS)])))


def test_passes_have_names_but_for_the_first() -> None:
    assert pass_names(3) == ("", "pass_2", "pass_3")
