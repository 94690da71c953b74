"""Runs to report on: records by hand, and folders in the published forms."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from hyperspace.runs.records import Generation, Run, RunAgent
from tests.support.paths import SHARED

PUBLISHED = SHARED / "data" / "published"
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"


def run(arm: str, seed: int, vals: Sequence[float | None], **more: Any) -> Run:
    """A run of one agent that goes from each generation to the next; None is an invalid one."""
    generations = tuple(
        Generation(generation=at, parent=at - 1 if at else None, valid=val is not None, val=val)
        for at, val in enumerate(vals)
    )
    agent = RunAgent("", generations, more.pop("test", None), more.pop("planned", None))
    return Run(arm=arm, seed=seed, source=f"/runs/{arm}/seed{seed}", agents=(agent,), **more)


def arm(name: str, bests: Mapping[int, float], **more: Any) -> list[Run]:
    """Runs of one arm by seed, each with a seed generation of 0 and one that is the best."""
    return [run(name, seed, [0.0, best], **more) for seed, best in bests.items()]


def errors(arm_name: str, seed: int, vals: Sequence[float]) -> Run:
    """A run whose scores are errors, the lower the better; it is ranked by what is left of 10."""
    plain = run(arm_name, seed, vals, higher_is_better=False)
    (agent,) = plain.agents
    generations = tuple(
        replace(found, fitness=1 - val / 10)
        for found, val in zip(agent.generations, vals, strict=True)
    )
    return replace(plain, agents=(replace(agent, generations=generations),))


def write_json(path: Path, value: object) -> None:
    """Write a JSON file; makes missing folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def write_generation(folder: Path, metadata: object, task: str = "", meta: str = "") -> None:
    """Write the folder of one generation, with code if there is any."""
    write_json(folder / "metadata.json", metadata)
    for name, text in (("task_agent.py", task), ("meta_agent.py", meta)):
        if text:
            (folder / "repo").mkdir(exist_ok=True)
            (folder / "repo" / name).write_text(text)


def solo(base: Path, arm_name: str, seed: int, vals: Sequence[float | None]) -> Path:
    """Write a published solo run; each generation starts from the one before."""
    folder = base / "imo" / arm_name / f"seed{seed}"
    for at, val in enumerate(vals):
        scored: dict[str, object] = {"valid": True, "train_score": val, "val_score": val}
        told = {"valid": False, "error": "no"} if val is None else scored
        if at:
            told |= {"parent": at - 1, "forked_from": at - 1, "run_full_eval": bool(val)}
        code = "" if val is None else f"code {at}\n" * (at + 1)
        write_generation(folder / f"gen_{at}", told, code, f"meta {at // 2}")
    known = [val for val in vals if val is not None]
    write_json(
        folder / "run_config.json", {"model": "m", "seed": seed, "iterations": len(vals) - 1}
    )
    summary = {"seed": seed, "max_generations": len(vals) - 1, "archive_size": len(vals)}
    best = {"best_val_score": max(known), "test_accuracy": 0.5, "initial_val_score": vals[0]}
    write_json(folder / "summary.json", {**summary, **best})
    return folder


def paired(base: Path, agents: Mapping[str, Sequence[float | None]], seed: int) -> Path:
    """Write a published paired run."""
    folder = base / "_vs_".join(agents) / f"seed{seed}"
    for name, vals in agents.items():
        for at, val in enumerate(vals):
            told: dict[str, object] = {"valid": val is not None, "val_score": val}
            write_generation(folder / name / f"gen_{at}", told, f"code {at}", "meta")
        known = [val for val in vals if val is not None]
        summary = {"model": name, "archive_size": len(vals), "best_val": max(known)}
        write_json(folder / name / "summary.json", summary)
    write_json(folder / "run_config.json", {"seed": seed, "iterations": 1})
    return folder


def ours(base: Path, arm_name: str, seed: int, vals: Sequence[float | None], **asked: Any) -> Path:
    """Write a solo run of ours, as far as a report reads it; `asked` is of its configuration."""
    folder = base / "repo_quality" / "mix" / arm_name / f"seed{seed}"
    terms = {"experiment": "mix", "arm": arm_name, "stream": ""}
    configuration = {
        **{"kind": "solo", "domain": "repo_quality", "agents": ["climber"], "seed": seed},
        **{"models": ["offline/climber"], "eval_model": None, "eval_samples": None},
        **{"data_sha256": "0" * 64, "generations": len(vals) - 1, "initial_sha256": None},
        **{"visible": {"train": "full", "val": "scores"}, "policies": {"growth": "flag"}},
        **{"solo": terms | asked.pop("solo", {})},
    }
    write_json(folder / "run_config.json", {"format": 1, "configuration": configuration | asked})
    write_json(folder / "summary.json", {"seed": seed})
    write_json(folder / "climber" / "summary.json", {})
    for at, val in enumerate(vals):
        told = {"valid": val is not None, "val_score": val, "parent": at - 1 if at else None}
        write_generation(folder / "climber" / f"gen_{at}", told)
    return folder
