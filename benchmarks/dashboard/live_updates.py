"""Measures what an update of a live page costs, while a run is made."""

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from hyperspace.dashboard.links import ServerLinks
from hyperspace.dashboard.live.hub import encoded
from hyperspace.dashboard.live.messages import Teller
from hyperspace.dashboard.results.followed import FollowedRun
from hyperspace.kernel.state.folder import RunFolder

LOOK_S: Final = 0.5
RESTING: Final = 40  # generations of all agents that are closed one second apart
_MAKE: Final = (
    "import sys; from pathlib import Path; "
    "from benchmarks.dashboard.made_fleet import make_fleet; "
    "make_fleet(Path(sys.argv[1]), *map(int, sys.argv[2:5]), resting=int(sys.argv[5]))"
)


def show_updates(run: Path, agents: int, last: int) -> None:
    """Make a run, look at it as a live page does while its last generations come, and print.

    What is printed is the CPU time of a look that found a new generation: reading what is new, and
    making the message. Adoptions are judged beside it, for a tenth of a second a look at most.

    Args:
        run: Its folder, which is not there yet.
        agents: How many play.
        last: The last generation of each.
    """
    resting = max(1, RESTING // agents)
    numbers = map(str, (agents, last, 2, resting))
    maker = subprocess.Popen([sys.executable, "-c", _MAKE, str(run), *numbers])
    costs_s: list[float] = []
    try:
        archive = RunFolder(run).archive(f"agent{agents - 1:02}")
        while not archive.is_file() or archive.read_bytes().count(b"\n") <= last - resting:
            if maker.poll() is not None:
                raise RuntimeError("the run was not made")
            time.sleep(LOOK_S)
        followed = FollowedRun(RunFolder(run), None)
        teller = Teller(followed, run.name, ServerLinks())
        teller.news()
        while maker.poll() is None:
            time.sleep(LOOK_S)
            begun_s = time.process_time()
            message = teller.news()
            if message is not None:
                encoded(message)
                if message.points:
                    costs_s.append(time.process_time() - begun_s)
    finally:
        maker.kill()
        maker.wait()
    cost_ms = statistics.median(costs_s) * 1000
    print(
        f"\nA live update of {agents} agents at generation {last}: {cost_ms:.1f} ms CPU, "
        f"median of {len(costs_s)}",
        flush=True,
    )
