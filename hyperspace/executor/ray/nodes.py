"""Nodes of a cluster: what each has, and why one is refused."""

from collections.abc import Mapping
from typing import Final

import msgspec

from hyperspace.executor.program import ProgramVersion
from hyperspace.executor.resources import Resources

LEAST_FREE_BYTES: Final = 64 * 1024**2


class NodeReport(msgspec.Struct, frozen=True):
    """What a node says of itself, in a task.

    Attributes:
        host: Its name.
        python: Its version of Python.
        code: Hash of the code of this program there.
        sandboxes: Each sandbox that is a boundary, and why it cannot be used; empty where it held.
        secrets: Variables with keys or passwords in the environment of its workers.
        folder: Where its workers keep what they work on.
        free_bytes: Room there.
    """

    host: str
    python: str
    code: str
    sandboxes: dict[str, str]
    secrets: list[str]
    folder: str
    free_bytes: int


class ClusterNode(msgspec.Struct, frozen=True):
    """A node that is alive.

    Attributes:
        id: Ray's.
        host: Its name.
        resources: What it has, by Ray's names.
        report: What it says of itself; None where it could not be examined.
        why_not: Why it could not be.
    """

    id: str
    host: str
    resources: Mapping[str, float]
    report: NodeReport | None
    why_not: str = ""

    def refusal(self, wanted: ProgramVersion) -> str:
        """Return why no job is played on it, in a sentence; empty where jobs are."""
        report = self.report
        if report is None:
            return self.why_not
        if report.python != wanted.python:
            return f"it has Python {report.python}, and the coordinator {wanted.python}"
        if report.code != wanted.code:
            return (
                f"it has another version of this program (code {report.code}, and the coordinator "
                f"{wanted.code}); install the coordinator's there"
            )
        if report.secrets:
            return (
                f"the environment of its workers holds {', '.join(report.secrets)}; start Ray "
                "there without it: no key may be on a worker"
            )
        if all(report.sandboxes.values()):
            return f"no sandbox confines code there: {next(iter(report.sandboxes.values()))}"
        if report.free_bytes < LEAST_FREE_BYTES:
            return f"its disk is full: {report.free_bytes:,} bytes are free in {report.folder}"
        return ""

    def slots(self, resources: Resources) -> int:
        """Return how many jobs with these resources fit on it."""
        wanted = as_ray_names(resources)
        return int(min(self.resources.get(name, 0.0) / amount for name, amount in wanted.items()))


def as_ray_names(resources: Resources) -> dict[str, float]:
    """Return what a job holds by Ray's names; what it does not ask for is not among it."""
    amounts = {
        "CPU": resources.cpus,
        "GPU": resources.gpus,
        "memory": float(resources.memory_bytes),
    }
    return {name: amount for name, amount in amounts.items() if amount}
