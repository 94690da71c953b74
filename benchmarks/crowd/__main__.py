"""What an agent costs in fleets of more and more agents.

`hyperspace fleet` of one offline policy on the least task, in bubblewrap, three strategies in sight
of each agent. Every agent publishes a generation 0 and is tested at the end; all of them, or one of
so many, play generations in between. CPU and wall time are of a generation closed; `own` is the CPU
time of the coordinator's process alone.

    python -m benchmarks.crowd [--agents 100 300 1000] [--one-of 10] [--generations 1]
"""

import argparse
from collections.abc import Sequence

from benchmarks.counted import counted
from benchmarks.crowd.fleet import PARTS, FleetCost, Used, play_fleet

AGENTS = (100, 300, 1000)


def main(
    agents: Sequence[int] = AGENTS,
    one_of: int = 1,
    generations: int = 1,
    schedule: str = "alternating",
) -> None:
    """Measure and print.

    Args:
        agents: How many there are; a fleet for each number.
        one_of: One of so many plays on after generation 0.
        generations: Of each that does.
        schedule: When they play.
    """
    with counted() as cpu_s:
        if cpu_s is None:
            print("no control group of our own can be made here, so nothing can be counted")
            return
        for count in agents:
            players = max(count // one_of, 1)
            cost = play_fleet(count, players, generations, schedule, cpu_s)
            _print(count, count + players * generations, cost)


def _print(agents: int, closed: int, cost: FleetCost) -> None:
    print(f"{agents} agents, {closed} generations closed")
    whole = Used(*map(sum, zip(*cost.parts.values(), strict=True)))
    for name, used in (*((part, cost.parts[part]) for part in PARTS), ("in all", whole)):
        wall_ms, own_ms, cpu_ms = (seconds / closed * 1000 for seconds in used)
        told = f"own {own_ms:7.2f} ms  CPU {cpu_ms:7.2f} ms  wall {wall_ms:7.2f} ms"
        print(f"  {name:6}  {told}   ({used.own_s:.1f}, {used.cpu_s:.1f}, {used.wall_s:.1f} s)")
    memory = f"{cost.peak_bytes / 1e6:.0f} MB, {cost.peak_bytes / agents / 1000:.0f} kB an agent"
    space = f"{cost.space_bytes / cost.marks:.0f} bytes a mark ({cost.marks} marks)"
    print(f"  memory  {memory}; space {space}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, nargs="+", default=AGENTS)
    parser.add_argument("--one-of", type=int, default=1, help="one of so many plays on")
    parser.add_argument("--generations", type=int, default=1)
    parser.add_argument("--schedule", default="alternating")
    return parser


if __name__ == "__main__":
    main(**vars(_parser().parse_args()))
