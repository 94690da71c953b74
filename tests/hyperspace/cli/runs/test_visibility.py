"""What agents really find in their workspaces, by `--visible`: a meta agent brings it all home."""

import base64
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import PAIR, finished, hyperspace, pair
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long

# Labels spell their input backwards, so that an agent can be right without having seen one.
DOMAIN = """
from hyperspace.tasks.table import Row, TableDomain

def rows(split, count):
    questions = [f"canary-{split}-{n}-{n * 7919 + 13:x}" for n in range(count)]
    return [Row(f"{split}-{n}", {"q": q}, q[::-1]) for n, q in enumerate(questions)]

def mirror(data, options):
    splits = {"train": rows("train", 13), "val": rows("val", 11), "test": rows("test", 7)}
    smoke = {"q": "smoke"}
    return TableDomain("mirror", splits, smoke_inputs=smoke, staged_items=5, calls_model=False)
"""
TASK = """
class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        right = int(inputs["q"].split("-")[2]) % 3 if "-" in inputs["q"] else 1
        return inputs["q"][::-1] if right else "guess-" + "canary", []
"""
META = """
import base64, json, pathlib, zlib

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        root, found = pathlib.Path(repo_path), {}
        for path in sorted(root.rglob("*")):
            if path.is_file():
                lines = path.read_text().splitlines()
                text = "\\n".join(line for line in lines if not line.startswith("# LOOT "))
                found[str(path.relative_to(root))] = text
        loot = base64.b64encode(zlib.compress(json.dumps(found).encode(), 9)).decode()
        task = root / "task_agent.py"
        lines = [x for x in task.read_text().splitlines() if not x.startswith("# LOOT ")]
        task.write_text("\\n".join([*lines, "# LOOT " + loot, ""]))
"""
TRAIN_SCORE, VAL_SCORE = str(8 / 13), str(7 / 11)
CANARIES = {
    "train inputs": "canary-train",
    "train labels": "-niart-yranac",
    "train predictions": "guess-canary",
    "train scores": TRAIN_SCORE,
    "val inputs": "canary-val",
    "val labels": "-lav-yranac",
    "val scores": VAL_SCORE,
    "test": "canary-test",
    "test labels": "-tset-yranac",
}
FULL = ["train inputs", "train labels", "train predictions", "train scores", "val scores"]
IN_SIGHT = {
    "train=full": FULL,
    "train=full,val=none": FULL[:-1],
    "val=rounded": FULL[:-1],
    "val=ladder": FULL[:-1],
    "train=scores": ["train scores", "val scores"],
    "train=none": ["val scores"],
    "train=none,val=none,test=none": [],
}


def loots(run: Path) -> Iterator[dict[str, str]]:
    """Every file of every workspace of a run, by path."""
    for path in sorted(run.glob("*/gen_[12]/repo/task_agent.py")):
        for line in path.read_text().splitlines():
            if line.startswith("# LOOT "):
                yield json.loads(zlib.decompress(base64.b64decode(line.split()[2])))


@needs_bubblewrap
@pytest.mark.parametrize("visible", IN_SIGHT)
def test_a_workspace_holds_what_is_visible_and_no_more(visible: str, tmp_path: Path) -> None:
    (tmp_path / "mirror.py").write_text(DOMAIN)
    (tmp_path / "task_agent.py").write_text(TASK)
    (tmp_path / "meta_agent.py").write_text(META)
    done = hyperspace(
        *("pair", *PAIR[:3], "--domain", f"{tmp_path}/mirror.py:mirror", "--visible", visible),
        *("--generations", "2", "--initial", tmp_path, "--results", tmp_path / "r", "--json"),
    )
    finished(done)
    result: Any = json.loads(done.stdout)
    found = list(loots(Path(result["run"])))
    assert len(found) == 4
    assert all(any(path.startswith("strategies/") for path in loot) for loot in found)
    everything = "\n".join(text for loot in found for path in loot for text in (path, loot[path]))
    seen = [name for name, canary in CANARIES.items() if canary in everything]
    assert seen == IN_SIGHT[visible]
    assert result["agents"][0]["best_train"] == pytest.approx(8 / 13)


def test_offline_policies_go_on_without_any_score(tmp_path: Path) -> None:
    result = pair(tmp_path, "--visible", "train=none,val=none", generations=3)
    archives = list(Path(result["run"]).glob("*/archive.jsonl"))
    entries = [json.loads(line) for path in archives for line in path.read_text().splitlines()]
    assert len(entries) == 8
    assert all(entry["valid"] for entry in entries)
    assert pair(tmp_path / "scores", "--visible", "train=scores", generations=2)["digest"]
