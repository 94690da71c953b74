"""Two runs whose validation labels alone differ: with `val=none` agents cannot tell them apart."""

import json
from pathlib import Path

import pytest

from tests.support.command import PAIR, hyperspace
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]
GENERATIONS = 5
DOMAIN = """
from hyperspace.tasks.table import Row, TableDomain

def rows(split, count, label):
    return [Row(f"{split}-{n}", {"n": n}, label(n)) for n in range(count)]

def made(label):
    splits = {
        "train": rows("train", 12, lambda n: "yes" if n % 3 else "no"),
        "val": rows("val", 8, label),
        "test": rows("test", 4, lambda n: "yes"),
    }
    smoke = {"n": 1}
    return TableDomain("labels", splits, smoke_inputs=smoke, staged_items=5, calls_model=False)

def late(data, options):
    return made(lambda n: "yes" if n > 1 else "no")

def early(data, options):
    return made(lambda n: "no" if n > 1 else "yes")
"""
TASK = """
LEVEL = 0

class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        return "yes" if inputs["n"] % 3 > (LEVEL > 1) else "no", []
"""
# Better on train and worse on validation from one generation to the next, and broken at times.
META = """
import hashlib, pathlib

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        root = pathlib.Path(repo_path)
        found = [(str(path.relative_to(root)), path.read_text()) for path in files(root)]
        (root / "task_agent.py").write_text(
            f"# SEEN {hashlib.sha256(repr(found).encode()).hexdigest()}\\n"
            f"LEVEL = {iterations_left}\\n" + TASK + ("import nothing\\n" * (iterations_left == 2))
        )

def files(root):
    return [path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix == ".py"
            or path.suffix in (".json", ".jsonl", ".csv")]

TASK = '''
class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        return "yes" if (inputs["n"] * 7 + LEVEL) % (LEVEL + 2) else "no", []
'''
"""


def seen(results: Path, domain: str, visible: str) -> list[str]:
    """What the agents of a run found in their workspaces, generation by generation."""
    results.mkdir()
    for name, text in (("task_agent", TASK), ("meta_agent", META)):
        (results / f"{name}.py").write_text(text)
    (results.parent / "labels.py").write_text(DOMAIN)
    done = hyperspace(
        *("pair", *PAIR[:3], "--domain", f"{results.parent}/labels.py:{domain}"),
        *("--visible", visible, "--generations", str(GENERATIONS), "--seed", "3", "--json"),
        *("--initial", results, "--results", results / "r"),
    )
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    metadata = [json.loads(path.read_text()) for path in sorted(run.glob("*/gen_*/metadata.json"))]
    assert not all(row["valid"] for row in metadata)
    assert len({row["val_score"] for row in metadata}) > 2
    shown = [str((row["parent"], row["shown"], row["valid"])) for row in metadata]
    code = [path.read_text() for path in sorted(run.glob("*/gen_*/repo/task_agent.py"))]
    workspaces = [line for text in code for line in text.splitlines() if "SEEN" in line]
    assert len(workspaces) == 2 * GENERATIONS
    return shown + workspaces


@pytest.mark.parametrize(("visible", "alike"), [("val=none", True), ("val=scores", False)])
def test_what_agents_see_depends_on_validation_only_if_it_is_shown(
    visible: str, alike: bool, tmp_path: Path
) -> None:
    late, early = (seen(tmp_path / name, name, visible) for name in ("late", "early"))
    assert (late == early) is alike
