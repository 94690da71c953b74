"""What the files of a workspace tell: the own generations, items that went wrong, peers."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

TASK_AGENT = "task_agent.py"
_MEASURE = """
import importlib, json, sys
sys.path.insert(0, ".")
from task_agent import TaskAgent
score = importlib.import_module("task.score").score if sys.argv[2] else None
agent, scores = TaskAgent(sys.argv[1]), []
with open("evals/train_items.jsonl", encoding="utf-8") as lines:
    items = [json.loads(line) for line in lines]
for item in items:
    said = str(agent.forward(item["inputs"])[0])
    scores.append(score(item["inputs"], said) if score else said.strip().lower() == item["label"])
print("\\nMEAN", sum(scores) / len(scores))
"""


class Generation(NamedTuple):
    """One of the agent's own generations.

    Attributes:
        number: Its number.
        parent: What it was made of; None for generation 0.
        valid: Whether it could become a parent.
        error: Why not.
        metric: What the scores are; empty if there are none.
        higher_is_better: Direction of the scores.
        train: Train score; None if there is none to see.
        val: Validation score; None if there is none to see.
        code: Its task agent.
    """

    number: int
    parent: int | None
    valid: bool
    error: str
    metric: str
    higher_is_better: bool
    train: float | None
    val: float | None
    code: str

    @property
    def rank(self) -> float:
        """What it is compared by, higher is better: validation, or train where that is hidden."""
        score = self.train if self.val is None else self.val
        if score is None or not self.valid:
            return float("-inf")
        return score if self.higher_is_better else -score


class WrongItem(NamedTuple):
    """A train item that was not answered rightly.

    Attributes:
        inputs: What was asked.
        prediction: What was answered.
        label: The right answer; empty where items are graded.
        score: What the answer scored; None where there is a label.
    """

    inputs: dict[str, Any]
    prediction: str
    label: str
    score: float | None


class Peer(NamedTuple):
    """A peer's published strategy.

    Attributes:
        name: Its folder below `strategies/`.
        train: Train score; None if it is hidden.
        val: Validation score; None if it is hidden.
        code: Its task agent; empty if that is hidden.
    """

    name: str
    train: float | None
    val: float | None
    code: str


def own_generations(eval_path: str) -> list[Generation]:
    """The agent's own generations that it may see, oldest first."""
    folders = [path for path in Path(eval_path).glob("gen_*") if path.name[4:].isdecimal()]
    return [_generation(path) for path in sorted(folders, key=lambda path: int(path.name[4:]))]


def _generation(folder: Path) -> Generation:
    fields = _json(folder / "metadata.json")
    report = _json(folder / "eval_train/report.json") or _json(folder / "eval_val/report.json")
    return Generation(
        number=int(folder.name[4:]),
        parent=fields.get("parent"),
        valid=bool(fields.get("valid")),
        error=str(fields.get("error") or ""),
        metric=str(report.get("metric") or ""),
        higher_is_better=report.get("higher_is_better") is not False,
        train=fields.get("train_score"),
        val=fields.get("val_score"),
        code=read_text(folder / TASK_AGENT),
    )


def wrong_items(eval_path: str, generation: Generation) -> list[WrongItem]:
    """Train items that a generation answered wrongly; graded ones by score, the worst first."""
    inputs = {
        item["id"]: item["inputs"]
        for item in map(json.loads, read_text(Path(eval_path) / "train_items.jsonl").splitlines())
    }
    report = Path(eval_path) / f"gen_{generation.number}/eval_train/predictions.csv"
    rows = [
        row for row in csv.DictReader(read_text(report).splitlines(True)) if row["id"] in inputs
    ]
    if rows and "score" in rows[0]:
        rows.sort(key=lambda row: float(row["score"]), reverse=not generation.higher_is_better)
        return [
            WrongItem(inputs[row["id"]], row["prediction"], "", float(row["score"])) for row in rows
        ]
    return [
        WrongItem(inputs[row["id"]], row["prediction"], row["label"], None)
        for row in rows
        if row["label"] and row["prediction"].strip().lower() != row["label"]
    ]


def peers(repo_path: str) -> list[Peer]:
    """What peers have published and the agent may see, by name."""
    found: list[Peer] = []
    for folder in sorted(Path(repo_path, "strategies").glob("*")):
        fields = _json(folder / "metadata.json")
        scores = fields.get("train_score"), fields.get("val_score")
        found.append(Peer(folder.name, *scores, read_text(folder / TASK_AGENT)))
    return found


def train_score(repo_path: str, model: str, timeout_s: float = 60.0) -> float | None:
    """The mean score on train of the task agent as it stands, in a process of its own.

    Returns:
        The score; minus infinity if the code fails; None where it cannot be known here: train is
        hidden, has neither labels nor a scorer, or the task agent asks a model.
    """
    root = Path(repo_path)
    first = read_text(root / "evals/train_items.jsonl").partition("\n")[0]
    has_scorer = "def score(" in read_text(root / "task/score.py")
    if not first or not (has_scorer or "label" in json.loads(first)):
        return None
    if "llm_client" in read_text(root / TASK_AGENT):
        return None
    command = [sys.executable, "-c", _MEASURE, model, "scored" if has_scorer else ""]
    try:
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, timeout=timeout_s, check=True
        )
        return float(done.stdout.rpartition("\nMEAN ")[2])
    except (OSError, ValueError, subprocess.SubprocessError):
        return float("-inf")


def own_files(repo_path: Path) -> dict[str, str]:
    """The programs that the agent consists of, path to text."""
    paths = [path.relative_to(repo_path) for path in sorted(repo_path.rglob("*.py"))]
    own = [path for path in paths if path.parts[0] not in ("evals", "strategies", "task")]
    return {path.as_posix(): read_text(repo_path / path) for path in own}


def read_text(path: Path) -> str:
    """A file's text; empty if there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _json(path: Path) -> dict[str, Any]:
    try:
        return json.loads(read_text(path) or "{}")
    except ValueError:
        return {}
