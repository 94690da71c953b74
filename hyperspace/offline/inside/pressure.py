"""Draws a child of a task agent's record by the pressure of its errors, without any model.

Helpers: edits, bench. The record is a literal `RECORD` at the top level of the task agent: a task
policy of weights, a threshold and a review style, and a meta policy of a focus, two steps and an
exploration scale; beside it `BOUNDS` has the range of each number and `LABELS` the answers, no and
yes. A weight grows by what false positives lack of it and false negatives have of it, on average;
the threshold and the style follow the majority of errors. Whether the child is kept is not decided
here. An adaptive meta policy changes its steps, by the pressure and once the child is measured.

Order: {"code", "items", "iteration", "meta"}.
Result: {"status", "before", "after", "items", "old", "new", "focus"}; numbers of right answers.
"""

import ast
import copy
import json
import math
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.edits import Edit, smallest_edit
    from hyperspace.offline.inside.bench import Bounded, answer, load, read_items, run

NOISE = 0.05  # of the exploration scale
PULL = 0.04  # of the weight step, for the focus
MISSED = 0.7  # weight of false negatives beside false positives
WEAK = 0.08  # a pressure below it makes the steps wider
WIDER, NARROWER = {"weight_step": 0.015, "exploration_scale": 0.03}, {"weight_step": -0.005}
MOST_NOTES = 4

Record = dict[str, Any]


class Errors(NamedTuple):
    """What a task agent gets wrong, and the means of each feature that follow from it."""

    right: int
    false_positives: list[dict[str, Any]]
    false_negatives: list[dict[str, Any]]


class Holder:
    """The source of a task agent that holds a record, with its bounds and labels."""

    def __init__(self, source: str) -> None:
        nodes = {
            ast.unparse(target): node.value
            for node in ast.parse(source).body
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        }
        self.source = source
        self.record: Record = ast.literal_eval(nodes["RECORD"])
        self.bounds: dict[str, tuple[float, float]] = ast.literal_eval(nodes["BOUNDS"])
        self.positive: str = ast.literal_eval(nodes["LABELS"])[1]
        self.passage: str = ast.get_source_segment(source, nodes["RECORD"]) or ""

    def bounded(self, value: float, name: str) -> float:
        """The nearest value that the record may hold, with 3 decimals."""
        low, high = self.bounds[name]
        return round(min(high, max(low, value)), 3)

    def adapt(self, meta: Record, by: dict[str, float]) -> None:
        """Change numbers of a meta policy."""
        for name, step in by.items():
            meta[name] = self.bounded(meta[name] + step, name)

    def holding(self, record: Record) -> str:
        """The source with another record."""
        return self.source.replace(self.passage, json.dumps(record, indent=4), 1)

    def errors(self, source: str, items: list[dict[str, Any]]) -> Errors:
        """Let a task agent answer the items.

        Raises:
            ValueError: It does not load.
        """
        loaded = load(source)
        if loaded is None:
            raise ValueError("the task agent does not load")
        false: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
        for item in items:
            is_positive = item["label"] == self.positive
            if (answer(loaded.agent, item, Bounded()) == self.positive) != is_positive:
                false[is_positive].append(item["inputs"])
        wrong = len(false[True]) + len(false[False])
        return Errors(len(items) - wrong, false[False], false[True])


def pressures(errors: Errors, items: list[dict[str, Any]], positive: str, names: list[str]) -> Any:
    """How much each weight should grow; empty where nothing is wrong."""
    if not errors.false_positives and not errors.false_negatives:
        return {}
    good = [item["inputs"] for item in items if item["label"] == positive]
    bad = [item["inputs"] for item in items if item["label"] != positive]
    return {
        name: round(
            max(0.0, mean(good, name) - mean(errors.false_positives, name))
            + MISSED * max(0.0, mean(errors.false_negatives, name) - mean(bad, name)),
            4,
        )
        for name in names
    }


def mean(rows: list[dict[str, Any]], name: str) -> float:
    """Mean of a feature; 0 where there are no rows."""
    return round(math.fsum(row[name] for row in rows) / len(rows), 4) if rows else 0.0


def child_of(holder: Holder, errors: Errors, force: dict[str, float], iteration: int) -> Record:
    """The record with its weights and threshold moved; its meta policy is the parent's."""
    parent, child = holder.record, copy.deepcopy(holder.record)
    child |= {"agent_id": f"agent-{iteration:03d}", "parent_id": parent["agent_id"]}
    child["generation"] = parent["generation"] + 1
    task, meta = child["task_policy"], child["meta_policy"]
    if force:
        meta["focus_metric"] = max(force, key=lambda name: force[name])
    for index, (name, weight) in enumerate(task["weights"].items()):
        key = f"{parent['agent_id']}|{name}|{index}|{iteration}"
        noise = random.Random(key).uniform(-1, 1) * meta["exploration_scale"] * NOISE  # noqa: S311
        pull = PULL * meta["weight_step"] * (name == meta["focus_metric"])
        step = force.get(name, 0.0) * meta["weight_step"] + noise + pull
        task["weights"][name] = holder.bounded(weight + step, "weights")
    excess = len(errors.false_positives) - len(errors.false_negatives)
    sign = (excess > 0) - (excess < 0)
    threshold = task["threshold"] + sign * meta["threshold_step"]
    task["threshold"] = holder.bounded(threshold, "threshold")
    task["review_style"] = {0: "balanced", 1: "strict", -1: "lenient"}[sign]
    note = {0: "balance both errors", 1: "raise the bar", -1: "recover the missed"}[sign]
    child["memory"] = [*parent["memory"], note][-MOST_NOTES:]
    return child


def press(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    holder = Holder(Path(order["code"]).read_bytes().decode())
    items = read_items(order["items"])
    errors = holder.errors(holder.source, items)
    names = list(holder.record["task_policy"]["weights"])
    force = pressures(errors, items, holder.positive, names)
    child = child_of(holder, errors, force, order["iteration"])
    after, meta = holder.errors(holder.holding(child), items), child["meta_policy"]
    if order["meta"] == "adaptive":
        uneven = len(errors.false_positives) != len(errors.false_negatives)
        by = WIDER if force.get(meta["focus_metric"], 0.0) < WEAK else NARROWER
        holder.adapt(meta, by | {"threshold_step": 0.005 if uneven else -0.005})
        holder.adapt(meta, {"exploration_scale": -0.02 if after.right > errors.right else 0.05})
    edit = smallest_edit(holder.source, holder.holding(child)) or Edit("", "")
    return {
        "status": "pressed",
        "before": errors.right,
        "after": after.right,
        "items": len(items),
        "focus": meta["focus_metric"],
        **edit._asdict(),
    }


run(press)
