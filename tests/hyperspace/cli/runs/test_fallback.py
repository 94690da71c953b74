"""Which generation a new one is forked from after a failed gate, by `--fallback`."""

import json
from pathlib import Path

import pytest

from tests.support.command import PAIR, hyperspace
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long

# Generation 1 does worse, generation 2 is broken, generation 3 shows what it was forked from.
META = """
import pathlib

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        task = pathlib.Path(repo_path, "task_agent.py")
        if iterations_left == 2:
            task.write_text(task.read_text() + WORSE)
        if iterations_left == 1:
            task.write_text("broken(")

WORSE = '''

class TaskAgent(TaskAgent):
    def forward(self, inputs):
        prediction, history = super().forward(inputs)
        return (prediction if inputs["name"] < "m" else "none"), history
'''
"""


@needs_bubblewrap
@pytest.mark.parametrize(("fallback", "parent"), [("best", 0), ("previous", 1), ("none", 2)])
def test_after_a_failed_gate_the_parent_is_as_asked(
    fallback: str, parent: int, tmp_path: Path
) -> None:
    (tmp_path / "meta_agent.py").write_text(META)
    done = hyperspace(
        *("pair", *PAIR, "--generations", "3", "--fallback", fallback, "--json"),
        *("--initial", tmp_path, "--results", tmp_path / "r"),
    )
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    made = [
        json.loads((run / "tinker" / f"gen_{g}" / "metadata.json").read_text()) for g in range(4)
    ]
    assert [one["valid"] for one in made] == [True, True, False, fallback != "none"]
    assert 0 < made[1]["val_score"] < made[0]["val_score"]
    assert made[3]["parent"] == parent
    code = [(run / "tinker" / f"gen_{g}" / "repo" / "task_agent.py").read_text() for g in range(4)]
    assert code[3] == code[parent]
