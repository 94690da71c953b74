"""Files that follow from a run's space: ideas.jsonl, ranked_ideas.json, summary.json."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from hyperspace.kernel.files import canonical_json, pretty_json, write_atomically
from hyperspace.research.environments.description import Description, Goal, is_better
from hyperspace.research.loop.folder import ResearchFolder
from hyperspace.research.loop.records import BASELINE, ClosedIdea, HeldOut, ResearchConfig
from hyperspace.research.loop.schedule import ranked
from hyperspace.research.loop.scores_seen import scores_seen
from hyperspace.research.loop.space import digest_of_ideas
from hyperspace.spending.ledger import Ledger

_NOT_SHOWN = ("calls",)


def write_views(folder: ResearchFolder, ideas: Mapping[int, ClosedIdea], goal: Goal) -> None:
    """Write ideas.jsonl and ranked_ideas.json again."""
    lines = [canonical_json(idea_fields(ideas[number])) + b"\n" for number in sorted(ideas)]
    write_atomically(folder.ideas, b"".join(lines))
    best = [idea_fields(idea) for idea in ranked(ideas, goal)]
    write_atomically(folder.ranked, pretty_json(best))


def idea_fields(idea: ClosedIdea) -> dict[str, Any]:
    """Return an idea as people read it: without the calls, and without the log."""
    fields: dict[str, Any] = msgspec.to_builtins(idea)
    manifest = {k: v for k, v in fields.pop("manifest").items() if k not in _NOT_SHOWN}
    del fields["log"]
    return manifest | fields


def summary_fields(
    folder: ResearchFolder,
    config: ResearchConfig,
    ideas: Mapping[int, ClosedIdea],
    held_out: HeldOut | None,
    description: Description,
    ledger: Ledger,
) -> dict[str, Any]:
    """Return what a finished run came to; the fields of summary.json."""
    evaluation = description.table.evaluation
    goal = evaluation.goal
    best = ranked(ideas, goal)[0]
    spent = ledger.budget.spent
    return {
        "run": str(folder.root),
        "environment": config.environment,
        "arm": config.arm,
        "seed": config.seed,
        "metric": evaluation.metric,
        "goal": goal,
        "baseline": ideas[BASELINE].score,
        "best": best.score,
        "best_idea": best.number,
        "best_so_far": best_so_far(ideas, goal),
        "epochs": [_epoch(epoch, ideas, goal) for epoch in range(config.epochs)],
        "states": dict(sorted(Counter(idea.manifest.state for idea in ideas.values()).items())),
        "cpu_s": round(sum(idea.cpu_s for idea in ideas.values()), 3),
        "calls": spent.calls,
        "cost_usd": spent.cost_usd,
        "held_out": None if held_out is None else msgspec.to_builtins(held_out),
        "validation": msgspec.to_builtins(scores_seen(config, ideas, evaluation.digits)),
        "digest": digest_of_ideas([idea.manifest for idea in ideas.values()], held_out),
        **_nothing(ideas),
    }


def _nothing(ideas: Mapping[int, ClosedIdea]) -> dict[str, Any]:
    """Return why a run came to nothing, which it did if no idea has a score; else no fields."""
    own = [ideas[number] for number in sorted(ideas) if number != BASELINE]
    if not own or any(idea.score is not None for idea in own):
        return {}
    ((state, count),) = Counter(idea.manifest.state for idea in own).most_common(1)
    latest = [idea for idea in own if idea.manifest.state == state][-1]
    said: dict[str, Any] = {"ideas": len(own), "state": state, "count": count}
    said |= {"latest": latest.number, "reason": latest.reason}
    return {"nothing": said, "came_to_nothing": True}


def best_so_far(ideas: Mapping[int, ClosedIdea], goal: Goal) -> list[float | None]:
    """Return the best score after the baseline and after each idea, in the order of numbers."""
    curve: list[float | None] = []
    best: float | None = None
    for number in sorted(ideas):
        score = ideas[number].score
        if score is not None and (best is None or is_better(goal, score, best)):
            best = score
        curve.append(best)
    return curve


def _epoch(epoch: int, ideas: Mapping[int, ClosedIdea], goal: Goal) -> dict[str, Any]:
    own = {n: i for n, i in ideas.items() if i.manifest.epoch == epoch and n != BASELINE}
    best = next((idea.score for idea in ranked(own, goal)), None)
    scored = sum(idea.score is not None for idea in own.values())
    return {"epoch": epoch, "ideas": len(own), "scored": scored, "best": best}
