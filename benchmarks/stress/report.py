"""The table of one play."""

from collections import Counter
from collections.abc import Iterator

from benchmarks.stress.stores import Played
from benchmarks.stress.world import World

SHARES = (0.5, 0.95, 0.99, 1.0)
SHOWN = 10
"""Violations that are printed."""


def lines(store: str, world: World, played: Played) -> Iterator[str]:
    """Yield the lines that tell of a play: what happened, what it cost, each kind of operation."""
    findings, shares = played.findings, played.shares
    kinds = merged(played)
    operations = sum(map(len, kinds.values()))
    wall_s = max(share.wall_s for share in shares)
    cpu_s = sum(share.cpu_s for share in shares) + played.server_cpu_s
    peak = max(share.peak_bytes for share in shares)
    disk = "" if played.disk_bytes is None else f"{played.disk_bytes / findings.marks:,.0f} bytes"
    yield (
        f"{store}: {world.agents:,} agents, {world.rounds} rounds, {len(shares)} processes; "
        f"{operations:,} operations, {findings.marks:,} marks"
    )
    yield (
        f"  {findings.winners:,} winners of {findings.contested:,} contested resources, "
        f"{sum(findings.refused.values()):,} conflicts refused, "
        f"{len(findings.violations)} violations of safety"
    )
    yield from (f"  VIOLATION: {violation}" for violation in findings.violations[:SHOWN])
    server = f", {played.server_cpu_s:.1f} s of it in the server" if played.server_cpu_s else ""
    yield (
        f"  {operations / wall_s:,.0f} operations/s in {wall_s:.1f} s; "
        f"{cpu_s / operations * 1000:.3f} ms CPU an operation{server}; "
        f"{peak / 1e6:,.0f} MB at most in a process; {disk or 'nothing'} a mark on disk"
    )
    yield f"  {'ms':<16}{'count':>9}{'refused':>9}{'p50':>9}{'p95':>9}{'p99':>9}{'max':>9}"
    refused = sum((share.refused for share in shares), Counter[str]())
    for kind, seconds in kinds.items():
        times = "".join(f"{at * 1000:9.3f}" for at in percentiles(seconds))
        yield f"  {kind:<16}{len(seconds):>9,}{refused[kind]:>9,}{times}"
    yield ""


def merged(played: Played) -> dict[str, list[float]]:
    """Return the wall seconds of all processes by kind of operation."""
    kinds: dict[str, list[float]] = {}
    for share in played.shares:
        for kind, seconds in share.seconds.items():
            kinds.setdefault(kind, []).extend(seconds)
    return kinds


def percentiles(seconds: list[float]) -> list[float]:
    """Return the times within which the `SHARES` of all operations ended."""
    ordered = sorted(seconds)
    return [ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in SHARES]
