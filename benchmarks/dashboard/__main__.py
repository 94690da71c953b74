"""Measure what pages of the dashboard cost its server, on runs that are made for it.

python -m benchmarks.dashboard [--folder DIR] [--generations N] [--repeats N]
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.dashboard.live_updates import show_updates
from benchmarks.dashboard.made_fleet import make_fleet
from benchmarks.dashboard.made_runs import copy_runs
from benchmarks.dashboard.served import Served, served
from hyperspace.dashboard.results.place import place_of
from hyperspace.kernel.state.folder import TRACE, RunFolder
from hyperspace.tracing.calls import CallRecord, RecordedUsage

AGENTS, GENERATIONS = 20, 10_000
LISTED, COMPARED = 5_000, 200
TRACE_BYTES = 120_000_000
REPEATS = 5


class PageCost(NamedTuple):
    """What a page cost the server.

    Attributes:
        name: Of the page.
        first_s: CPU time when it was asked for first, in seconds.
        again_s: CPU time when it was asked for again.
        rss_mb: Resident memory of the server afterwards, in millions of bytes.
    """

    name: str
    first_s: float
    again_s: float
    rss_mb: float


def main() -> None:
    """Measure everything."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="dashboard-") as scratch:
        folder = options.folder or Path(scratch)
        _show(f"A run of {AGENTS} agents", _long_run(folder / "long", options))
        _show(f"A trace of {TRACE_BYTES / 1e6:.0f} MB", _trace(folder / "trace", options.repeats))
        _show("Many runs", _many(folder / "many", options.repeats))
        show_updates(Path(scratch) / "live" / "seed1", agents=2, last=60)
        print(f"A bundle of a made pair: {_bundle(Path(scratch) / 'pair'):.2f} s CPU")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where made runs are left")
    parser.add_argument("--generations", type=int, default=GENERATIONS)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    return parser.parse_args()


def _long_run(folder: Path, options: argparse.Namespace) -> list[PageCost]:
    run = folder / "seed1"
    if not run.exists():
        show_updates(run, AGENTS, options.generations)
    archive = RunFolder(run).archive("agent00").read_bytes()
    last = archive.count(b"\n") - 1
    here = f"/agents/agent00/generations/{last}"
    pages = {
        "Run": "",
        "Lineage": "/lineage",
        f"Generation {last}": here,
        "Generation, its trace": f"{here}/trace",
        "Adoptions": "/adoptions",
        "Diff of two agents": f"/diff?a=agent00:{last // 2}&b=agent01:{last}",
        "Marks": "/marks",
        "Guard": "/guard",
        "Spending": "/spending",
    }
    addresses = {name: f"/runs/ID{path}" for name, path in pages.items()}
    return _costs(folder, addresses, options.repeats)


def _trace(folder: Path, repeats: int) -> list[PageCost]:
    run = folder / "seed1"
    if not run.exists():
        make_fleet(run, agents=2, last=2)
        _write_trace(RunFolder(run).generation("agent00", 2) / TRACE)
    trace = "/runs/ID/agents/agent00/generations/2/trace"
    pages = {
        "first page": trace,
        "page from line 1000": f"{trace}?from=1000",
        "search in it": f"{trace}?q=needle900",
        "search in the run": "/runs/ID/search?q=needle900",
    }
    return _costs(folder, pages, repeats)


def _many(folder: Path, repeats: int) -> list[PageCost]:
    if not folder.exists():
        copy_runs(folder, LISTED)
    pages = {
        f"list of {LISTED} runs": "/",
        "its second page": "/?from=100",
        f"{COMPARED} runs compared": "/compare?below=set0",
    }
    return _costs(folder, pages, repeats)


def _costs(folder: Path, pages: dict[str, str], repeats: int) -> list[PageCost]:
    """Ask a fresh server for each page twice, as often as said."""
    costs: dict[str, list[PageCost]] = {name: [] for name in pages}
    run = place_of(folder / "seed1", folder).id
    for _ in range(repeats):
        with served(folder) as server:
            for name, path in pages.items():
                address = path.replace("ID", run)
                first_s, again_s = (_cpu_of(server, address) for _ in range(2))
                costs[name].append(PageCost(name, first_s, again_s, server.rss_mb()))
    return [
        PageCost(name, *(statistics.median(values) for values in list(zip(*rows, strict=True))[1:]))
        for name, rows in costs.items()
    ]


def _cpu_of(server: Served, path: str) -> float:
    before_s = server.cpu_s()
    server.get(path)
    return server.cpu_s() - before_s


def _write_trace(path: Path) -> None:
    """Write a trace of calls that grow out of each other, sixty to a conversation."""
    messages: list[dict[str, str]] = []
    with path.open("wb") as file:
        number = 0
        while file.tell() < TRACE_BYTES:
            if number % 60 == 0:
                messages = [{"role": "user", "content": f"Task {number}. {'x' * 3_000}"}]
            said = f"I look at needle{number}"
            call = CallRecord(
                call_id=f"modify/{number}",
                model="offline/trivial",
                messages=messages,
                response=said,
                usage=RecordedUsage(900, 200),
                finish="stop",
                purpose="modify",
                item=str(number // 60),
                ordinal=number,
                seconds=0.4,
                cost_usd=0.001,
            )
            file.write(msgspec.json.encode(call) + b"\n")
            messages += [
                {"role": "assistant", "content": said},
                {"role": "user", "content": f"result {number} {'y' * 2_000}"},
            ]
            number += 1


def _bundle(folder: Path) -> float:
    """Return the CPU time of a bundle of a made pair of forty generations."""
    run = folder / "seed1"
    make_fleet(run, agents=2, last=40)
    command = ["-m", "hyperspace", "dashboard", "--bundle", str(run), "-o", str(folder / "out")]
    before = _children_cpu_s()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    return _children_cpu_s() - before


def _children_cpu_s() -> float:
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _show(title: str, costs: list[PageCost]) -> None:
    print(f"\n{title}: CPU seconds of the server, at first and again; its memory then")
    for cost in costs:
        print(
            f"  {cost.name:<28} {cost.first_s:7.2f} s {cost.again_s:7.2f} s {cost.rss_mb:6.0f} MB"
        )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
