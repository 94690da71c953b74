"""Pairs of real models of any kind, played in this process to the end."""

from functools import partial
from pathlib import Path

import anyio
import msgspec

from guards.sandboxes.choose import choose
from hyperspace.kernel.evaluation.sandboxes import Pace
from hyperspace.kernel.run.limits import open_ledger
from hyperspace.kernel.run.run import play
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import new_record, working
from hyperspace.kernel.state.terms import Terms
from hyperspace.launch.run_models import RunModels
from hyperspace.launch.setup import Setup, assemble
from hyperspace.models.base import Model
from hyperspace.summaries.outcome import write_run_summary
from hyperspace.tasks.registry import load
from transfer_experiment.options import PairOptions
from transfer_experiment.result import compose


def played(run: Path, first: Model, second: Model, pace: Pace, generations: int = 1) -> Path:
    """Play a pair on repo_quality under the agent names `one` and `other`."""
    domain = load("repo_quality")
    config = RunConfig(
        kind="pair",
        domain="repo_quality",
        data_sha256=domain.data_sha256,
        models=(first.name, second.name),
        agents=("one", "other"),
        eval_model=None,
        generations=generations,
        seed=1,
    )
    options = PairOptions(models=(first.name, second.name), domain="repo_quality")
    setup = Setup(options, config, RunFolder(run), domain, RunModels((first, second), None), {})
    sandbox = choose("auto", needs_boundary=True).sandbox
    record = new_record(config, sandbox.name, ("test",))
    terms = Terms()
    with (
        working(setup.folder, record) as opened,
        open_ledger(setup.folder.ledger, terms.limits) as ledger,
    ):
        context = assemble(setup, opened, ledger, terms.table(), sandbox, lambda _event: None)
        context = msgspec.structs.replace(context, pace=pace)
        conclude = partial(_conclude, setup, opened.marks)
        anyio.run(play, context, opened.heartbeat, conclude)
    return run


def _conclude(setup: Setup, marks: RunMarks) -> None:
    result = compose(setup.folder, marks)
    write_run_summary(setup.folder, result.fields(), marks, {})
