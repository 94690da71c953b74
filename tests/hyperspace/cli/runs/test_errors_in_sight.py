"""What code writes under validation does not come back to its agent; the host's record has it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import PAIR, hyperspace
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]
DOMAIN = """
from hyperspace.tasks.table import Row, TableDomain

def rows(split):
    return [Row(f"{split}-{n}", {"q": f"canary-{split}"}, "yes") for n in range(6)]

def canaries(data, options):
    splits = {split: rows(split) for split in ("train", "val", "test")}
    smoke = {"q": "smoke"}
    return TableDomain("canaries", splits, smoke_inputs=smoke, staged_items=2, calls_model=False)
"""
TASK = """
import json, os

class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        if "val" in inputs["q"]:
            body = json.dumps({"id": inputs["q"]}).encode()
            for fd in range(3, 64):
                try:
                    os.write(fd, len(body).to_bytes(4, "big") + body)
                except OSError:
                    pass
        return "yes", []
"""
META = """
import pathlib

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        task = pathlib.Path(repo_path, "task_agent.py")
        failed = pathlib.Path(eval_path, "gen_1", "metadata.json")
        if failed.exists():
            task.write_text(task.read_text() + "# LOOT " + failed.read_text() + "\\n")
        else:
            task.write_text(TASK)
"""
FIRST = """
class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        return "yes", []
"""


@pytest.mark.parametrize("visible", ["val=scores", "val=rounded", "val=none"])
def test_the_next_generation_reads_no_word_of_it(visible: str, tmp_path: Path) -> None:
    for name, text in (
        ("domain", DOMAIN),
        ("task_agent", FIRST),
        ("meta_agent", f"TASK = {TASK!r}\n{META}"),
    ):
        (tmp_path / "code").mkdir(exist_ok=True)
        (tmp_path / "code" / f"{name}.py").write_text(text)
    (tmp_path / "code" / "domain.py").rename(tmp_path / "domain.py")
    done = hyperspace(
        *("pair", *PAIR[:3], "--domain", f"{tmp_path}/domain.py:canaries", "--visible", visible),
        *("--generations", "2", "--initial", tmp_path / "code", "--results", tmp_path / "r"),
        "--json",
    )
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    (loot,) = [
        json.loads(line.removeprefix("# LOOT "))
        for line in (run / "tinker/gen_2/repo/task_agent.py").read_text().splitlines()
        if line.startswith("# LOOT ")
    ]
    classes = {"val=scores": "the task agent ended 3 times on val: protocol"}
    assert loot["error"] == classes.get(visible, "the evaluation on val failed: error")
    record: Any = json.loads((run / "tinker/gen_1/metadata.json").read_text())
    assert "canary-val" in record["error"]
