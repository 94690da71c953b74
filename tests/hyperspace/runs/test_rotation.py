"""Validation items that are drawn anew: what readers of a run say of its best generation."""

from pathlib import Path

from hyperspace.runs.folders import read_run
from tests.support.command import hyperspace
from tests.support.paths import ROOT

CORRIDOR = f"{ROOT}/tests/support/tasks/corridor.py:corridor"


def test_the_best_is_told_by_the_last_items_and_by_those_before(tmp_path: Path) -> None:
    done = hyperspace(
        *("pair", "--domain", CORRIDOR, "--models", "offline/stuck", "offline/stuck"),
        *("--generations", "2", "--rotate-val", "2", "--results", tmp_path),
    )
    assert done.returncode == 1, done.stderr
    (record,) = tmp_path.glob("*/*/*/run_config.json")
    run = read_run(record.parent)
    agent = run.agent("stuck")
    assert agent.best is not None
    assert (agent.best.generation, agent.best_val) == (0, agent.generations[2].val)
    assert agent.best_val != agent.generations[0].val
    (note,) = [line for line in run.notes if line.startswith("stuck: validation items")]
    assert "drawn anew at generation 2; generation 0, the best so far, has" in note
    assert not [line for line in run.notes if "the summary" in line]
    watched = hyperspace("watch", record.parent, "--once")
    assert f"best val {agent.best_val:.3f} (gen 0)" in watched.stdout
