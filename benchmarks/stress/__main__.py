"""Play agents on one mark space by a script, verify the space, and print what it cost.

python -m benchmarks.stress [--agents 1050 10500] [--rounds 3] [--crowd 50] [--seed 0]
    [--stores memory sqlite postgres] [--processes 4]

The exit code is 1 if anything happened that the protocol excludes.
"""

import argparse
import sys
from collections.abc import Sequence

from benchmarks.stress.report import lines
from benchmarks.stress.stores import STORES, Missing
from benchmarks.stress.world import World


def main(arguments: Sequence[str] = ()) -> int:
    """Play, examine and print; 1 if a space was not safe."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.stress",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--agents", type=int, nargs="+", default=[1050], help="how many play")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each agent")
    parser.add_argument("--crowd", type=int, default=50, help="agents that share a scope")
    parser.add_argument("--seed", type=int, default=0, help="of the script")
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES))
    parser.add_argument("--processes", type=int, default=4, help="on a shared store")
    options = parser.parse_args(arguments)
    worlds = [
        World(agents, options.rounds, options.seed, options.crowd) for agents in options.agents
    ]
    violations = 0
    for world in worlds:
        for name in options.stores:
            try:
                played = STORES[name](world, options.processes)
            except Missing as reason:
                print(f"{name}: left out, {reason}\n", flush=True)
                continue
            print(*lines(name, world, played), sep="\n", flush=True)
            violations += len(played.findings.violations)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
