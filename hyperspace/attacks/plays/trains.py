"""Attacks of a training job: what it may take, and what it is judged with."""

import msgspec

from guards.defences import Defence
from guards.sandboxes.sandbox import Limits
from hyperspace.attacks.attack import GOT_THROUGH, AttackScene, unclear
from hyperspace.executor.confined import play_confined
from hyperspace.executor.jobs import ConfinedJob, left_behind
from hyperspace.research.environments.registry import find_environment
from hyperspace.research.jobs.scoring import training_job

LIMITS = Limits(wall_s=40.0, cpu_s=30, memory_bytes=512 * 1024**2, disk_bytes=4 * 1024**2)


class BurnsUnseen(msgspec.Struct, frozen=True):
    """Lets processes do the work whose CPU time nobody is told of.

    Attributes:
        code: Python source that takes about 4 CPU seconds.
    """

    code: str

    @property
    def expected(self) -> str:
        """It has no score, and its time is on record."""
        return "bounded"

    async def play(self, scene: AttackScene) -> str:
        """Play it as a job with one CPU second."""
        job = ConfinedJob(
            command=("{python}", "main.py"),
            files={"main.py": f"{self.code}\nopen('out', 'w').write('1')".encode()},
            artefacts={"out": 10},
            run_s=40.0,
            cpu_s=1,
            processes=8,
            limits=LIMITS,
            sandbox=scene.sandbox.name,
        )
        outcome = await play_confined(job, scene.sandbox, "selftest", _ignored)
        left = left_behind(outcome)
        if left.cpu_by == "sampling" and Defence.CPU_GROUP not in scene.without:
            return self.expected  # no control group can be made here, and the record says so
        if outcome.state == "timed_out" and left.cpu_s > 1:
            return "bounded"
        return GOT_THROUGH if outcome.state == "done" else unclear(outcome.reason)


class FindsHeldOut(msgspec.Struct, frozen=True):
    """Looks for the data that the winner will be judged on.

    Attributes:
        code: Python source that sets `found` to whether the bytes `WORD` are in a file.
    """

    code: str

    @property
    def expected(self) -> str:
        """It is in no job of the search."""
        return "unseen"

    async def play(self, scene: AttackScene) -> str:
        """Play it as the training of an environment with held-out data."""
        environment = find_environment("fit_line")
        held_out = environment.held_out["points.json"]
        code = f"WORD = bytes({list(held_out[40:60])})\n{self.code}\nimport json\n"
        code += "json.dump({'found': found}, open('weights.json', 'w'))"
        files = {**environment.files, "train.py": code.encode()}
        if Defence.HELD_OUT in scene.without:
            files["held_out/points.json"] = held_out
        job = training_job(environment, files, scene.sandbox.name)
        outcome = await play_confined(job, scene.sandbox, "selftest", _ignored)
        left = left_behind(outcome).files.get("weights.json", b"")
        verdicts = {b'{"found": false}': "unseen", b'{"found": true}': GOT_THROUGH}
        return verdicts.get(left) or unclear(outcome.reason)


def _ignored(_line: bytes) -> None:
    pass
