"""Code that answers alone goes on where it passed its gates: the same here and elsewhere."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest

from guards.sandboxes.choose import choose
from hyperspace.cli.seed_play import seed_evaluation
from hyperspace.executor.resources import Resources
from hyperspace.kernel.evaluation.attempt_log import AttemptLog
from hyperspace.kernel.evaluation.evaluate import evaluate, evaluate_train
from hyperspace.kernel.evaluation.remote_items import Elsewhere
from hyperspace.kernel.evaluation.sandboxes import AttemptSandboxes, Pace
from hyperspace.kernel.state.manifest import SplitResult
from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.registry import load
from hyperspace.tasks.table import Row, TableDomain
from hyperspace.tracing.calls import CallRecord, sealed_call
from hyperspace.tracing.traces import Recorder
from tests.hyperspace.executor.contract.executors import local
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.anyio, needs_bubblewrap]
COUNTING = """
import os

COUNT = 0

class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        global COUNT
        COUNT += 1
        if inputs["ends"] and COUNT >= inputs["ends"]:
            os._exit(3)
        return str(COUNT), []
"""
STAGED = 2


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def counting(ends: int = 0, label: str = "3") -> TableDomain:
    """Each item is answered by how many were asked; from `ends` on the code ends itself."""
    rows: dict[Split, tuple[Row, ...]] = {
        split: tuple(Row(f"{split}-{n}", {"ends": ends}, label) for n in range(4))
        for split in SPLITS
    }
    return TableDomain(
        "counting",
        rows,
        smoke_inputs={"ends": 0},
        staged_items=STAGED,
        calls_model=False,
        seed_files={"task_agent.py": COUNTING.encode()},
    )


async def evaluated(
    tmp_path: Path, domain: TableDomain, how: str, *, train_alone: bool = False
) -> dict[str, SplitResult]:
    """Take the seed through the gates and evaluate it, `here` or `elsewhere`."""
    folder = tmp_path / how
    folder.mkdir()
    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    async with AsyncExitStack() as held:
        recorder = held.enter_context(Recorder(folder / "trace.jsonl"))
        evaluation = seed_evaluation(domain, sandbox, folder, recorder)
        if how == "elsewhere":
            executor = await held.enter_async_context(local(folder, 2))
            sandboxes: AttemptSandboxes = msgspec.structs.replace(
                evaluation.sandboxes, elsewhere=Elsewhere(executor, Resources())
            )
            evaluation = msgspec.structs.replace(evaluation, sandboxes=sandboxes)
        async with evaluation.after_gates() as (result, evaluator):
            assert result.passed, result
            return await (evaluate_train if train_alone else evaluate)(evaluator)


def counts(results: Mapping[str, SplitResult]) -> dict[str, list[str]]:
    """What was answered on each split, from the lowest count on, and how many errors there were."""
    return {
        split: [*sorted(result.predictions.values(), key=int), *["error"] * len(result.errors)]
        for split, result in results.items()
    }


@pytest.mark.parametrize("how", ["here", "elsewhere"])
async def test_what_code_keeps_from_item_to_item_is_the_same(tmp_path: Path, how: str) -> None:
    """The smoke item is the first, two of the staged pass come next."""
    results = await evaluated(tmp_path, counting(), how)
    assert counts(results) == {"train": ["2", "3", "4", "5"], "val": ["1", "2", "3", "4"]}
    assert results["train"].score == 1 / 4


@pytest.mark.parametrize("how", ["here", "elsewhere"])
@pytest.mark.parametrize(
    ("ends", "train", "val"),
    [
        (3, ["2", "error", "1", "2"], ["1", "2", "error", "1"]),
        (5, ["2", "3", "4", "error"], ["1", "2", "3", "4"]),
    ],
    ids=["in the staged pass", "in the rest of train"],
)
async def test_once_it_has_ended_each_block_has_sandboxes_of_its_own(
    tmp_path: Path, how: str, ends: int, train: list[str], val: list[str]
) -> None:
    results = await evaluated(tmp_path, counting(ends, label="2"), how)
    assert counts(results) == {"train": sorted(train), "val": sorted(val)}


@pytest.mark.parametrize("how", ["here", "elsewhere"])
async def test_where_nothing_was_right_nothing_more_is_asked(tmp_path: Path, how: str) -> None:
    results = await evaluated(tmp_path, counting(label="9"), how)
    assert counts(results) == {"train": ["2", "3"]}


@pytest.mark.parametrize("how", ["here", "elsewhere"])
async def test_train_alone_goes_on_as_well(tmp_path: Path, how: str) -> None:
    results = await evaluated(tmp_path, counting(), how, train_alone=True)
    assert counts(results) == {"train": ["2", "3", "4", "5"]}


async def test_nothing_of_train_lives_on_while_validation_is_asked(tmp_path: Path) -> None:
    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    with Recorder(tmp_path / "trace.jsonl") as recorder:
        evaluation = seed_evaluation(counting(), sandbox, tmp_path, recorder)
        async with evaluation.after_gates() as (_, evaluator):
            assert evaluator.kept is not None
            assert not evaluator.kept.is_over
            await evaluate_train(evaluator)
            assert evaluator.kept.is_over


async def test_a_trace_that_cannot_be_written_is_told_before_what_came_of_it(
    tmp_path: Path,
) -> None:
    def full(_call: CallRecord) -> None:
        raise OSError(28, "no space")

    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    with Recorder(tmp_path / "trace.jsonl", on_call=full) as recorder:
        evaluation = seed_evaluation(asking("", sleeps=0.0), sandbox, tmp_path, recorder)
        with pytest.raises(OSError, match="no space"):
            async with evaluation.after_gates():
                pass


@pytest.mark.parametrize("name", ["tests/support/tasks/squares.py:squares", "snake"])
async def test_answers_with_a_bound_on_cpu_time_have_sandboxes_of_their_own(
    tmp_path: Path, name: str
) -> None:
    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    with Recorder(tmp_path / "trace.jsonl") as recorder:
        evaluation = seed_evaluation(load(name), sandbox, tmp_path, recorder)
        async with evaluation.after_gates() as (result, evaluator):
            assert result.passed
            assert evaluator.kept is None


ASKING = """
import time
from agent.llm_client import chat

COUNT = 0

class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        try:
            chat([{"role": "user", "content": "Q"}], inputs["asks"] or self.model)
        except Exception:
            pass
        global COUNT
        COUNT += 1
        time.sleep(inputs["sleeps"] if COUNT == 2 else 0)
        return "3", []
"""


async def test_what_is_refused_is_on_record_in_the_order_of_the_items(tmp_path: Path) -> None:
    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    with Recorder(tmp_path / "trace.jsonl") as recorder:
        domain = asking("another", sleeps=0.0)
        evaluation = seed_evaluation(domain, sandbox, tmp_path, recorder)
        async with evaluation.after_gates() as (_, evaluator):
            await evaluate(evaluator)
    works = [refusal.purpose for refusal in evaluation.sandboxes.log.refusals()]
    assert works == ["gate", *["train"] * 4, *["val"] * 4]


async def test_a_strike_is_recorded_without_the_calls_of_the_next_try(tmp_path: Path) -> None:
    """The sandbox that was struck is gone before its item is asked again."""
    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    log = AttemptLog()
    made: list[CallRecord] = []

    def note(call: CallRecord) -> None:
        made.append(call)
        log.add_call(sealed_call(call))

    with Recorder(tmp_path / "trace.jsonl", on_call=note) as recorder:
        evaluation = seed_evaluation(asking("", sleeps=60.0), sandbox, tmp_path, recorder)
        sandboxes: AttemptSandboxes = msgspec.structs.replace(evaluation.sandboxes, log=log)
        evaluation = msgspec.structs.replace(evaluation, sandboxes=sandboxes, pace=Pace(item_s=2.0))
        async with evaluation.after_gates() as (_, evaluator):
            results = await evaluate_train(evaluator)
    assert results["train"].score == 1.0
    assert len(made) > len(log.timeouts)
    struck = [(timeout.item, timeout.calls) for timeout in log.timeouts]
    assert struck
    assert all(calls == 1 for _, calls in struck)


def asking(model: str, sleeps: float) -> TableDomain:
    """Items whose code asks a model, its own if none is named; at the second one it sleeps."""
    inputs = {"asks": model, "sleeps": sleeps}
    rows: dict[Split, tuple[Row, ...]] = {
        split: tuple(Row(f"{split}-{n}", inputs, "3") for n in range(4)) for split in SPLITS
    }
    return TableDomain(
        "asking",
        rows,
        smoke_inputs={"asks": model, "sleeps": 0.0},
        staged_items=STAGED,
        calls_model=False,
        seed_files={"task_agent.py": ASKING.encode()},
    )
