"""Search policies for any task: mutation, climbing, recombination, format repair."""

import random
import shlex
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from hyperspace.offline.conversation import Conversation
from hyperspace.offline.moves.searching import (
    CROSSING,
    GRADED,
    CodeSearch,
    Repertoire,
    adopt,
    improve,
    recombine,
    restore,
    return_to_best,
    write,
)
from hyperspace.offline.moves.tuning import BY_SCORE, CPU_S, NO_LABELS
from hyperspace.offline.plan import CandidPlan, PlanStep
from hyperspace.offline.planned import GenerationPolicy
from hyperspace.offline.record import Situation, Version, read_peers
from hyperspace.offline.tool_steps import Workspace, bash, run_program, view
from hyperspace.offline.true_action import TrueAction

MOST_WAITED = 3
"""Generations without a new best that lengthen the mutator's search."""


@dataclass(frozen=True)
class Mutator(GenerationPolicy):
    """A search policy: of a few variants with one change each, the least wrong one.

    Numbers, comparisons, operators, conditions, labels and statements change. The number of
    variants grows while no generation is a new best.
    """

    trials: int = 24
    spread: float = 0.3
    repertoire: Repertoire = "both"
    cpu_s: int = CPU_S

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Look around first."""
        yield from view("I look around.", space.path)
        return (yield from super().plan(space, task))

    def behave(self, scene: Situation) -> CandidPlan:
        """Change one place."""
        yield from return_to_best(scene)
        trials = self.trials * (1 + min(scene.record.waited(), MOST_WAITED))
        seed = scene.seed_for("mutator")
        search = CodeSearch("mutate", trials, 1, self.spread, seed, self.repertoire, self.cpu_s)
        return (yield from improve(scene, search))


@dataclass(frozen=True)
class Climber(GenerationPolicy):
    """A search policy that takes each change that helps and goes on from there.

    Each generation climbs from the best version and from shaken ones. When no generation was a new
    best for `patience` generations, it starts again from some earlier version of its own.
    """

    trials: int = 90
    restarts: int = 3
    patience: int = 3
    spread: float = 0.3
    repertoire: Repertoire = "both"
    cpu_s: int = CPU_S

    def behave(self, scene: Situation) -> CandidPlan:
        """Climb, from the best version or after a restart."""
        seed, waited = scene.seed_for("climber"), scene.record.waited()
        if waited and waited % self.patience == 0:
            rng = random.Random(seed)  # noqa: S311 - a search, no secret
            chosen = rng.choice([version for version in scene.record.versions if version.valid])
            why = f"Nothing was better for {waited} generations; I restart from {chosen.path}."
            yield from restore(scene, chosen, why)
        else:
            yield from return_to_best(scene)
        search = CodeSearch(
            "climb", self.trials, self.restarts, self.spread, seed, self.repertoire, self.cpu_s
        )
        return (yield from improve(scene, search))


@dataclass(frozen=True)
class Breeder(GenerationPolicy):
    """A search policy that takes every function, method and constant of its peers that helps.

    Those that help on the training items are put in place of its own, with whatever they need;
    with the trials that are left it climbs from there. Where no code of its own has ever run,
    there is nothing to recombine, and it takes a peer's as it is.
    """

    trials: int = 24
    spread: float = 0.3
    repertoire: Repertoire = "both"
    cpu_s: int = CPU_S

    def behave(self, scene: Situation) -> CandidPlan:
        """Recombine, and change the own code with what is left of the trials."""
        yield from return_to_best(scene)
        peers = yield from read_peers(
            scene.space, "What have the others published?", "looks for functions to take"
        )
        seed = scene.seed_for("breeder")
        others = [peer for peer in peers if not peer.current]
        if others and scene.record.best is None:
            return (yield from adopt(scene, scene.record.best_among(others) or others[-1]))
        words, tried, cpu_s = "", 0, self.cpu_s
        if others:
            cpu_s = -(-self.cpu_s // 2)
            words, tried = yield from recombine(scene, others, self.trials, seed, cpu_s)
        left = self.trials - tried
        if words and left <= 0:
            return words
        search = CodeSearch("climb", left, 1, self.spread, seed, self.repertoire, cpu_s)
        closing = yield from improve(scene, search)
        return f"{words} {closing}" if words and isinstance(closing, str) else closing


@dataclass(frozen=True)
class Mender(GenerationPolicy):
    """A search policy for format repair.

    If the latest generation failed its gates, it reads the error in `evals/` and mends that very
    code, which may hold a good idea. If the code at hand fails or answers in the wrong form, it
    mends that. Otherwise it changes its code as the mutator does.
    """

    trials: int = 24
    spread: float = 0.3
    cpu_s: int = CPU_S

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
        seed = scene.seed_for("mender")
        search = CodeSearch("mutate", self.trials, 1, self.spread, seed, cpu_s=self.cpu_s)
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
    result = yield from run_program(say, "mend", order, CROSSING)
    if result.get("error") == NO_LABELS:
        result = yield from run_program(BY_SCORE, "mend", order, (*CROSSING, *GRADED))
    return result
