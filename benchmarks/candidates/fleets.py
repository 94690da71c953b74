"""CPU time of fleets by how many agents play and when they play.

`hyperspace fleet` in bubblewrap, in processes of their own: agents that search on their own and
agents that adopt, in turns (`alternating`) and at their own pace (`concurrent`).

    python -m benchmarks.candidates.fleets [--agents 5 10 20] [--generations 3] [--at FOLDER]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.counted import Seconds, counted

AGENTS = (5, 10, 20)
GENERATIONS = 3
HERE = Path(__file__).parents[2]
SCHEDULES = ("alternating", "concurrent")
MODELS = ("offline/tinker", "offline/magpie")


class FleetCost(NamedTuple):
    """What a fleet cost.

    Attributes:
        cpu_s: CPU time of everything, analysis at the end included.
        wall_s: From the start of the program to its end.
    """

    cpu_s: float
    wall_s: float


def main(agents: Sequence[int] = AGENTS, generations: int = GENERATIONS, at: Path = HERE) -> None:
    """Measure and print.

    Args:
        agents: How many play; one fleet of each schedule for each number.
        generations: Of each agent, after generation 0.
        at: Folder of the program.
    """
    with counted() as cpu_s:
        if cpu_s is None:
            print("no control group of our own can be made here, so nothing can be counted")
            return
        print("agents  schedule     CPU in all  CPU a generation      wall")
        for count in agents:
            for schedule in SCHEDULES:
                cost = play_fleet(count, generations, schedule, at, cpu_s)
                each_ms = cost.cpu_s / (count * generations) * 1000
                row = f"{count:6}  {schedule:11} {cost.cpu_s:9.1f} s {each_ms:14.0f} ms"
                print(f"{row} {cost.wall_s:8.1f} s", flush=True)


def play_fleet(
    agents: int, generations: int, schedule: str, version: Path, cpu_s: Seconds
) -> FleetCost:
    """Play a fleet once, in a folder that is thrown away.

    Args:
        agents: How many play.
        generations: Of each, after generation 0.
        schedule: When they play.
        version: Folder of the program.
        cpu_s: CPU time of this process and of all that it starts, so far.

    Raises:
        RuntimeError: The fleet failed.
    """
    with tempfile.TemporaryDirectory(prefix="fleets-") as folder:
        file = Path(folder) / "fleet.toml"
        file.write_text(_terms(agents, generations, schedule))
        command = (sys.executable, "-P", "-m", "hyperspace", "fleet", "--config", str(file))
        begun_s, begun_cpu_s = time.monotonic(), cpu_s()
        done = subprocess.run(
            [*command, "--sandbox", "bubblewrap", "--results", f"{folder}/results"],
            check=False,
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(version.resolve())},
        )
        if done.returncode != 0:
            raise RuntimeError(f"the fleet failed: {done.stderr}")
        return FleetCost(cpu_s() - begun_cpu_s, time.monotonic() - begun_s)


def _terms(agents: int, generations: int, schedule: str) -> str:
    head = (
        'name = "measured"\ndomain = "repo_quality"\n'
        f'generations = {generations}\nschedule = "{schedule}"\n'
    )
    members = (
        f'\n[[agents]]\nmodel = "{MODELS[at % len(MODELS)]}"\nname = "a{at:03}"\n'
        for at in range(agents)
    )
    return head + "".join(members)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, nargs="+", default=AGENTS)
    parser.add_argument("--generations", type=int, default=GENERATIONS)
    parser.add_argument("--at", type=Path, default=HERE, help="folder of another version")
    return parser


if __name__ == "__main__":
    main(**vars(_parser().parse_args()))
