"""Mender: repairs what does not run or does not answer in the right form, on any task."""

import shlex
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from agents.offline.moves.recombination import CROSSING
from agents.offline.moves.searching import CodeSearch, improve, return_to_best, write
from agents.offline.plan import CandidPlan, PlanStep
from agents.offline.planned import GenerationPolicy
from agents.offline.record import Situation, Version
from agents.offline.tool_steps import bash, run_program
from agents.offline.true_action import TrueAction


@dataclass(frozen=True)
class Mender(GenerationPolicy):
    """A search policy for format repair.

    If the latest generation failed its gates, it reads the error in `evals/` and mends that very
    code, which may hold a good idea. If the code at hand fails or answers in the wrong form, it
    mends that. Otherwise it changes its code as the mutator does.
    """

    trials: int = 24
    spread: float = 0.3

    def behave(self, scene: Situation) -> CandidPlan:
        """Mend what fails, or change one place of the own code."""
        latest = scene.record.versions[-1] if scene.record.versions else None
        failed = latest if latest is not None and not latest.valid else None
        if failed is None:
            yield from return_to_best(scene)
        result = yield from _check(scene, failed)
        if result.get("status") == "mended":
            what = ", ".join(map(str, result["fixes"])) or "nothing but its place"
            action = TrueAction("repair", f"mended {what}", amount=len(result["fixes"]))
            return (yield from write(scene, result, f"mended: {what}", action))
        search = CodeSearch("mutate", self.trials, 1, self.spread, scene.seed_for("mender"))
        return (yield from improve(scene, search))


def _check(scene: Situation, failed: Version | None) -> Generator[PlanStep, str, dict[str, Any]]:
    """Check the failed version, or what the workspace holds, and work out how to mend it."""
    if failed is not None:
        yield from bash(
            f"It failed: {failed.error}", f"cat {shlex.quote(failed.path)}/metadata.json"
        )
    best = scene.record.best
    order = {
        "code": scene.code,
        "broken": failed.code if failed else scene.code,
        "sound": best.code if best else "",
        "items": scene.items,
    }
    say = "I check whether it runs and how it answers."
    return (yield from run_program(say, "mend", order, CROSSING))
