"""Bounds of one answer: its CPU seconds, processes beside it, its length."""

from pathlib import Path

import pytest

from guards.sandboxes.choose import choose
from hyperspace.cli.seed_play import seed_evaluation
from hyperspace.kernel.evaluation.evaluate import evaluate_split
from hyperspace.tasks.base import Item
from hyperspace.tracing.traces import Recorder
from tests.support.tasks.squares import squares

pytestmark = pytest.mark.anyio
LOOPS, FORKS, LONG, RIGHT = (Item(f"val-{n}", {"number": n}) for n in (1, 2, 3, 4))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.long
@pytest.mark.parametrize("sandbox", ["bubblewrap", pytest.param("process", marks=pytest.mark.long)])
async def test_an_answer_beyond_its_bounds_costs_that_answer_alone(
    sandbox: str, tmp_path: Path
) -> None:
    domain = squares(None, {}).with_items({"val": [LOOPS, FORKS, LONG, RIGHT]})
    box = choose(sandbox, needs_boundary=False).sandbox
    with Recorder(tmp_path / "trace.jsonl") as recorder:
        evaluation = seed_evaluation(domain, box, tmp_path, recorder)
        result = await evaluate_split(evaluation.evaluator(), "val")
    errors = dict(result.errors)
    assert "it used up its CPU time" in errors.pop("val-1")
    assert errors.pop("val-3") == "a prediction has at most 50 characters"
    if sandbox == "bubblewrap":  # the other confines nothing
        assert "BlockingIOError" in errors.pop("val-2")
        assert (errors, result.score) == ({}, 1 / 4)
