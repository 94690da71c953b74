"""Code that answers alone goes on where it passed its gates: the same here and elsewhere."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest

from agents.tracing.traces import Recorder
from domains.base import SPLITS, Split
from domains.table import Row, TableDomain
from evolution.evaluation.ahead import Elsewhere
from evolution.evaluation.evaluate import evaluate, evaluate_train
from evolution.evaluation.sandboxes import AttemptSandboxes
from evolution.state.manifest import SplitResult
from executor.resources import Resources
from guards.sandboxes.choose import choose
from hyperspace.seed_play import seed_evaluation
from tests.executor.contract.executors import local
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
    assert counts(results) == {"train": ["2", "3", "4", "5"], "val": ["6", "7", "8", "9"]}
    assert results["train"].score == 1 / 4


@pytest.mark.parametrize("how", ["here", "elsewhere"])
@pytest.mark.parametrize(
    ("ends", "train", "val"),
    [
        (3, ["2", "error", "1", "2"], ["1", "2", "error", "1"]),
        (5, ["2", "3", "4", "error"], ["1", "2", "3", "4"]),
        (7, ["2", "3", "4", "5"], ["6", "error", "1", "2"]),
    ],
    ids=["in the staged pass", "in the rest of train", "in validation"],
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
