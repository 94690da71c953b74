"""Policies behind a real broker, talking to the seed meta agent in real sandboxes."""

import os
from pathlib import Path

import pytest

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox, probe
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Job, Sandbox
from guards.scope.edit_scope import EditScope
from guards.scope.ingest import Ingest, IngestLimits, ingest
from hyperspace.broker.broker import Broker
from hyperspace.lookup.offline import OfflineModel
from hyperspace.offline.registry import named
from hyperspace.tasks.registry import load
from hyperspace.tracing.traces import Recorder
from hyperspace.workspace.seed_code import runtime_files, seed_files
from hyperspace.workspace.workspace import PastGeneration, Strategy, TrainRows, materialize
from tests.support.runs.simulation import score
from tests.support.tasks.scored_tasks import ROUTES

DOMAIN = load("repo_quality")
SCOPE = EditScope(("task_agent.py", "meta_agent.py"), ())
MISSING = probe()
BUBBLEWRAP = pytest.param(
    "bubblewrap", marks=pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def workspace() -> dict[str, bytes]:
    code = {p: b.decode() for p, b in {**seed_files(), **DOMAIN.seed_files()}.items()}
    first = score(DOMAIN, 0, code["task_agent.py"])
    past = PastGeneration(
        generation=0,
        parent=None,
        valid=True,
        error="",
        metric="accuracy",
        train_score=first.train,
        val_score=first.val,
        train_predictions=first.predictions,
        staged_only=False,
        task_agent=first.code,
    )
    peer = {"task_agent.py": "# better\n" + first.code}
    train = TrainRows(DOMAIN.items("train"), DOMAIN.labels("train"))
    strategies = [Strategy("peer", "offline/peer", 2, 0.9, 0.9, peer)]
    return materialize(code, runtime_files(), train, [past], strategies)


async def modify(
    sandbox: Sandbox, policy: str, folder: Path, files: dict[str, bytes] | None = None
) -> Ingest:
    files = files or workspace()
    name = f"offline/{policy}"
    model = OfflineModel(name, named(name))
    order = {"op": "modify", "model": model.name, "iterations_left": 3}
    with Recorder(folder / "trace.jsonl") as recorder:
        async with (
            Broker(model, recorder, seed=7) as broker,
            sandbox.start(Job("modify", files, broker)) as running,
        ):
            path = running.inside_path
            paths = {"repo_path": path, "eval_path": f"{path}/evals"}
            assert await running.request(order | paths, 60.0) == {"ok": True}
            descriptor = await running.finish()
            try:
                return ingest(descriptor, files, SCOPE, IngestLimits())
            finally:
                os.close(descriptor)


@pytest.mark.long
@pytest.mark.anyio
@pytest.mark.parametrize("kind", [BUBBLEWRAP, "process"])
async def test_policies_change_the_task_agent_and_nothing_else(kind: str, tmp_path: Path) -> None:
    sandbox = BubblewrapSandbox() if kind == "bubblewrap" else ProcessSandbox()
    tuned = await modify(sandbox, "tinker", tmp_path)
    assert [change.path for change in tuned.changes] == ["task_agent.py"]
    assert score(DOMAIN, 1, tuned.files["task_agent.py"].decode()).train >= 0.65
    adopted = await modify(sandbox, "magpie", tmp_path)
    assert adopted.files["task_agent.py"].startswith(b"# better\n")
    assert [change.path for change in adopted.changes] == ["task_agent.py"]


@pytest.mark.anyio
@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
async def test_a_task_with_a_scorer_is_searched_within_a_sandbox(tmp_path: Path) -> None:
    ROUTES.lay_out(tmp_path / "space", [ROUTES.seed])
    laid_out = [path for path in (tmp_path / "space").rglob("*") if path.is_file()]
    task = {str(path.relative_to(tmp_path / "space")): path.read_bytes() for path in laid_out}
    code = {path: content.decode() for path, content in seed_files().items()}
    files = materialize(code, runtime_files(), TrainRows((), {}), [], [])
    climbed = await modify(BubblewrapSandbox(), "climber?trials=60", tmp_path, files | task)
    assert [change.path for change in climbed.changes] == ["task_agent.py"]
    best = climbed.files["task_agent.py"].decode()
    assert ROUTES.value(best) > ROUTES.value(ROUTES.seed)


@pytest.mark.anyio
@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
async def test_both_sandboxes_give_equal_code(tmp_path: Path) -> None:
    boxed = await modify(BubblewrapSandbox(), "tinker", tmp_path)
    plain = await modify(ProcessSandbox(), "tinker", tmp_path)
    assert boxed.files == plain.files
