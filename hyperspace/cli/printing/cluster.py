"""Nodes of a cluster, for people: what each has, what runs there, why one is refused."""

import time
from collections.abc import Iterator, Sequence

from hyperspace.executor.program import ProgramVersion
from hyperspace.executor.ray.board import CoordinatorJobs
from hyperspace.executor.ray.nodes import ClusterNode
from hyperspace.executor.resources import Resources

_GIGABYTE = 1e9


def node_fields(
    node: ClusterNode, version: ProgramVersion, resources: Resources
) -> dict[str, object]:
    """Return what is told of a node as JSON."""
    report = node.report
    return {
        "host": node.host,
        "id": node.id,
        "slots": node.slots(resources),
        "refused": node.refusal(version),
        "python": report and report.python,
        "code": report and report.code,
        "sandboxes": report and report.sandboxes,
        "free_bytes": report and report.free_bytes,
        "folder": report and report.folder,
    }


def node_lines(node: ClusterNode, version: ProgramVersion, resources: Resources) -> Iterator[str]:
    """Yield lines about an examined node."""
    refusal = node.refusal(version)
    yield _headline(node, refusal, resources)
    if (report := node.report) is not None:
        for name, why_not in report.sandboxes.items():
            yield f"    {name:<15} {f'not usable: {why_not}' if why_not else 'usable'}"
        room = f"{report.free_bytes / _GIGABYTE:.1f} GB free in {report.folder}"
        yield f"    Python {report.python}, code {report.code}, {room}"


def worker_lines(
    nodes: Sequence[ClusterNode], coordinators: Sequence[CoordinatorJobs], resources: Resources
) -> Iterator[str]:
    """Yield lines about nodes, and what coordinators have running on each."""
    for node in nodes:
        whys = [each.refused.get(node.id, "") for each in coordinators]
        yield _headline(node, next(filter(None, whys), ""), resources)
        for each in coordinators:
            for job in each.jobs:
                if job.node == node.id:
                    age = max(0.0, time.time() - job.since)
                    by = f"{each.host} pid {each.pid}"
                    yield f"    {job.label or 'a job'}, for {age:.0f} s, of {by}"
    if not coordinators:
        yield "no coordinator plays jobs here"


def _headline(node: ClusterNode, refusal: str, resources: Resources) -> str:
    count = node.slots(resources)
    slots = f"{count} slot{'' if count == 1 else 's'}"
    return f"{node.host} {node.id[:8]}: {f'REFUSED, {refusal}' if refusal else slots}"
