"""Attacks on scores of episodes, artefacts, programs and judged answers: real evaluation of them.

An attack claims a score wherever text of its own gets to the host. A host that believed the code
would take it; ours plays, verifies, runs or has judged what the answer is.
"""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from random import Random
from typing import Any

import msgspec

from guards.defences import Defence
from guards.sandboxes.sandbox import Job, Limits, Running
from hyperspace.attacks.attack import GOT_THROUGH, AttackScene, unclear
from hyperspace.attacks.plays.answers import FORGE
from hyperspace.attacks.plays.judge import credulous_judge, judged_task
from hyperspace.attacks.plays.scores import FRAMES
from hyperspace.attacks.workspace import LIMITS, predict_frame, with_task_agent
from hyperspace.kernel.evaluation.assess import Assessor
from hyperspace.kernel.evaluation.evaluate import evaluate_split
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator
from hyperspace.kernel.evaluation.scoring_sandbox import runner
from hyperspace.tasks.base import Domain, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.verified import Executed, Execution, Runner

JUDGED = "judged"
DESERVED, WORTH_CHEATING = 0.3, 0.5
ITEM_S = 20.0
_CLAIM = re.compile(r"score\W{1,4}([01]\.?[0-9]*)")
MEMORY = f"""
import sys, time

SEEN = []

{FRAMES}

def caller():
    return next(f.f_locals["frame"] for f in frames() if "frame" in f.f_locals)
"""


class BelievingWorker(msgspec.Struct):
    """A worker that keeps what is claimed anywhere, which nobody should believe."""

    running: Running
    claims: list[float]
    item_s: float

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one answer."""
        return await self._ask(predict_frame(token, item.inputs))

    async def play(
        self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Ask for the next action of every episode."""
        id_ = next(iter(observations))
        frame = {"op": "play", "id": id_, "observations": observations, "model": "m"}
        reply = await self._ask(frame)
        return reply if reply.get("id") == id_ else {}

    async def _ask(self, frame: Mapping[str, object]) -> Mapping[str, Any]:
        reply = await self.running.request(dict(frame), self.item_s)
        self.claims += claimed(str(reply))
        return reply


class MovesScores(msgspec.Struct, frozen=True):
    """Tries to score on a real task without doing what it asks.

    Attributes:
        task: Name of the domain, or `JUDGED`.
        code: Body of a task agent's `forward`.
        items: How many of the validation items are asked.
        limits: Bounds of its sandbox.
        item_s: Longest wait for one reply.
        expected: The verdict when the score is what the answers deserve.
    """

    task: str
    code: str
    items: int = 1
    limits: Limits = LIMITS
    item_s: float = ITEM_S
    expected: str = "worthless"

    async def play(self, scene: AttackScene) -> str:
        """Evaluate it on validation."""
        claims: list[float] = []
        try:
            score = (await evaluate_split(self._evaluator(scene, claims), "val")).score
        except CandidateFailed:
            score = 0.0
        if Defence.SCORES in scene.without and claims:
            score = max(score, *claims)  # what a host would do that believed the code
        if score >= WORTH_CHEATING:
            return GOT_THROUGH
        return "worthless" if score <= DESERVED else unclear(f"score {score}")

    def _evaluator(self, scene: AttackScene, claims: list[float]) -> Evaluator:
        domain = task(self.task)
        domain = domain.with_items({"val": domain.items("val")[: self.items]})
        files = with_task_agent(self.code, FORGE + MEMORY)
        job = Job("worker", files, None, scene.bounded(self.limits))

        @asynccontextmanager
        async def open_worker(_cpu_s: int | None) -> AsyncGenerator[BelievingWorker]:
            async with scene.sandbox.start(job) as running:
                yield BelievingWorker(running, claims, self.item_s)

        assessor = Assessor(domain, _run(scene, claims), credulous_judge(scene.without))
        return Evaluator(
            domain,
            open_worker,
            Random,
            _ignore,
            scene.without,
            assess=assessor.prediction,
            open_player=open_worker,
        )


@cache
def task(name: str) -> GradedDomain:
    """Return a task by its name."""
    domain: Domain = judged_task() if name == JUDGED else load(name)
    assert isinstance(domain, GradedDomain)  # noqa: S101 - those of the corpus are
    return domain


def claimed(text: str) -> list[float]:
    """Return the scores that a text claims."""
    return [float(number) for number in _CLAIM.findall(text)]


def _run(scene: AttackScene, claims: list[float]) -> Runner:
    run = runner(scene.sandbox, "selftest")

    async def run_and_believe(execution: Execution) -> Executed:
        executed = await run(execution)
        claims.extend(claimed(f"{executed.stdout}\n{executed.error}"))
        return executed

    return run_and_believe


def _ignore(_split: str, _done: int, _total: int) -> None:
    """Nobody watches."""
