"""Attacks on a score: real evaluation of a small task with sealed labels."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import msgspec

from guards.defences import Defence
from guards.sandboxes.sandbox import Job, Limits, Running
from hyperspace.attacks.attack import GOT_THROUGH, AttackScene, unclear
from hyperspace.attacks.plays.answers import FORGE
from hyperspace.attacks.workspace import LIMITS, predict_frame, with_task_agent
from hyperspace.kernel.evaluation.evaluate import evaluate_split
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator
from hyperspace.kernel.evaluation.failures import error_in_sight
from hyperspace.kernel.state.manifest import SplitResult
from hyperspace.tasks.base import SPLITS, Domain, Item, Split
from hyperspace.tasks.table import Row, TableDomain

COUNT = 8
CANARY = "canary7e9"
WORTHLESS, WORTH_CHEATING = 0.5, 0.9


def sealed_task() -> Domain:
    """A task whose items all look alike: only what must not be known tells them apart.

    It asks no model, so one sandbox sees all items.
    """
    rows: dict[Split, list[Row]] = {
        split: [Row(f"{split}{n}", {"q": CANARY}, f"label{n}") for n in range(COUNT)]
        for split in SPLITS
    }
    return TableDomain("sealed", rows, smoke_inputs={"q": CANARY}, calls_model=False)


class TrustingWorker(msgspec.Struct):
    """A worker that keeps what the code claims, which nobody should believe."""

    running: Running
    claims: list[float]

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one prediction."""
        reply = await self.running.request(predict_frame(token, item.inputs), 10.0)
        claim = reply.get("score")
        if isinstance(claim, float):
            self.claims.append(claim)
        return reply


class CarriesInputs(msgspec.Struct, frozen=True):
    """Tries to have what it sees of validation told to the next generation, as its error.

    Attributes:
        code: Body of a task agent's `forward`; `q` of its inputs is `CANARY`.
        carried: What its error would say of it.
        expected: The verdict when only the way in which it failed is told.
    """

    code: str
    carried: str
    expected: str = "unseen"

    async def play(self, scene: AttackScene) -> str:
        """Evaluate it, and read what its agent is told."""
        try:
            result = await evaluated(self.code, scene, [], LIMITS)
        except CandidateFailed as failed:
            told = error_in_sight(str(failed), by_class=True, without=scene.without)
            return GOT_THROUGH if self.carried in told else "unseen"
        return unclear(f"score {result.score}")


class ForgesScores(msgspec.Struct, frozen=True):
    """Tries to score without knowing anything.

    Attributes:
        code: Body of a task agent's `forward`.
        limits: Bounds of its sandbox.
        takes: Whether it gets through by a prediction that is taken at all.
        fails: Whether it gets through by not being given up.
        expected: The verdict when the score is what it deserves.
    """

    code: str
    limits: Limits = LIMITS
    takes: bool = False
    fails: bool = False
    expected: str = "worthless"

    async def play(self, scene: AttackScene) -> str:
        """Evaluate it."""
        claims: list[float] = []
        try:
            result = await evaluated(self.code, scene, claims, self.limits)
        except CandidateFailed as failed:
            return "worthless" if self.fails else unclear(failed)
        if self.fails or (self.takes and result.predictions):
            return GOT_THROUGH
        score = result.score
        if Defence.SCORES in scene.without and claims:
            score = max(claims)  # what a host would do that believed the code
        if score >= WORTH_CHEATING:
            return GOT_THROUGH
        return "worthless" if score <= WORTHLESS else unclear(f"score {score}")


async def evaluated(
    code: str, scene: AttackScene, claims: list[float], limits: Limits
) -> SplitResult:
    """Evaluate a task agent on the validation split of a sealed task.

    Raises:
        CandidateFailed: It ended its sandbox too often.
    """
    files = with_task_agent(code, FORGE + MEMORY)
    job = Job("worker", files, None, scene.bounded(limits))

    @asynccontextmanager
    async def open_worker(_cpu_s: int | None) -> AsyncGenerator[TrustingWorker]:
        async with scene.sandbox.start(job) as running:
            yield TrustingWorker(running, claims)

    evaluator = Evaluator(sealed_task(), open_worker, Random, _ignore, scene.without)
    return await evaluate_split(evaluator, "val")


FRAMES = """
def frames():
    import sys

    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
"""
MEMORY = f"""
LABELS = {{f"val{{n}}": f"label{{n}}" for n in range({COUNT})}}
SEEN = []

{FRAMES}"""


def _ignore(_split: str, _done: int, _total: int) -> None:
    """Nobody watches."""
