"""Attacks on the answers that a worker gives: one for each item, under the id that it was given."""

import msgspec

from guards.gates import run_gates
from guards.sandboxes.sandbox import Job, Limits, Running, SandboxEnded
from hyperspace.attacks.attack import GOT_THROUGH, AttackScene, unclear
from hyperspace.attacks.workspace import FILES, LIMITS, TASK, predict_frame, with_task_agent

FORGE = """
import json, os


def raw(data):
    for fd in range(3, 64):
        try:
            os.write(fd, data)
        except OSError:
            pass


def forge(**frame):
    body = json.dumps(frame).encode()
    raw(len(body).to_bytes(4, "big") + body)
"""
HONEST = "if i['q'] == 'two': return 'fine', []\n"


class ForgesAnswers(msgspec.Struct, frozen=True):
    """Tries to have an answer of its choice taken where it was not asked for one.

    Attributes:
        code: Body of a task agent's `forward`. Item `two` is answered honestly.
        outcomes: How the outcomes of the items `one` and `two` begin.
        forged: What would be taken as an answer if the attack got through.
        limits: Bounds of its sandbox.
        expected: The verdict when nothing but an answer to the question counts.
    """

    code: str
    outcomes: tuple[str, str]
    forged: str
    limits: Limits = LIMITS
    expected: str = "refused"

    async def play(self, scene: AttackScene) -> str:
        """Ask for two items and look at what comes."""
        files = with_task_agent(HONEST + self.code, FORGE)
        job = Job("worker", files, None, scene.bounded(self.limits))
        async with scene.sandbox.start(job) as running:
            try:
                outcomes = [await _outcome(running, item) for item in ("one", "two")]
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, AttributeError):
                return GOT_THROUGH  # it made the host fail
        if any(outcome.startswith(self.forged) for outcome in outcomes):
            return GOT_THROUGH
        pairs = zip(outcomes, self.outcomes, strict=True)
        return "refused" if all(a.startswith(b) for a, b in pairs) else unclear(outcomes)


class Gates(msgspec.Struct, frozen=True):
    """Tries to be taken for code that passed the gates.

    Attributes:
        before: Code at the top of the task agent's module.
        agent: Whether a sound task agent follows.
        expected: The verdict when the gates stay closed.
    """

    before: str
    agent: bool = False
    expected: str = "refused"

    async def play(self, scene: AttackScene) -> str:
        """Take it to the gates."""
        code = FORGE + self.before + (TASK if self.agent else "")
        job = Job("worker", {**FILES, "task_agent.py": code.encode()}, None, scene.bounded(LIMITS))
        async with scene.sandbox.start(job) as running:
            result = await run_gates(running, {"q": 1}, "m", 10.0, scene.without)
        return GOT_THROUGH if result.passed else "refused"


async def _outcome(running: Running, item: str) -> str:
    try:
        reply = await running.request(predict_frame(item, {"q": item}), 20.0)
    except SandboxEnded as ended:
        return str(ended)
    return str(reply.get("prediction", reply.get("error")))
