"""Wall time and CPU time of candidates that mostly wait, by the number of lanes.

A solo run in bubblewrap: a candidate's model takes 500 ms in two calls, its evaluation 200 ms of
sleep. Ideal is what the waiting alone takes, with all lanes always in use. CPU time is that beyond
a run of one candidate, so without the start of the program, generation 0 and the end.

A quiet machine is also one whose disk has rested: on ext4 without a journal, as many virtual
machines have it, a new file costs a look at each that was removed in the last six minutes, and
this removes its runs. Wait for so long, or set TMPDIR to a folder in memory.

    python -m benchmarks.pipeline [--lanes 8 32 128] [--candidates 200]
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.candidates.model_server import model_server, play_metered
from benchmarks.counted import Seconds, counted
from benchmarks.pipeline.sleeper import ITEM_S
from guards.sandboxes.bubblewrap.bubblewrap import probe
from hyperspace.kernel.state.closings import every_closing
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import reading

LANES = (8, 32, 128)
CANDIDATES = 200
CALL_MS = 250
NAME = "editor"
DOMAIN = f"{Path(__file__).with_name('sleeper.py')}:sleeper"
INSERT = {"command": "insert", "path": "task_agent.py", "insert_line": 1, "new_str": "# Once.\n"}
SCRIPT = [{"tool_calls": [{"name": "editor", "arguments": INSERT}]}, {"text": "Done."}]
WAITING_S = len(SCRIPT) * CALL_MS / 1000 + 2 * ITEM_S


class PipelineCost(NamedTuple):
    """What a run cost.

    Attributes:
        wall_s: From the closing of generation 0 to that of the last one.
        own_s: CPU time of the coordinator.
        sandboxes_s: CPU time of all that it started.
    """

    wall_s: float
    own_s: float
    sandboxes_s: float


def main(lanes: Sequence[int] = LANES, candidates: int = CANDIDATES) -> int:
    """Measure and print.

    Args:
        lanes: How many candidates are made at a time, one run each. One that fails is the last.
        candidates: Of each run, after generation 0.

    Returns:
        The exit code.
    """
    if (reason := probe()) is not None:
        print(f"no bubblewrap: {reason}")
        return 1
    with tempfile.TemporaryDirectory(prefix="pipeline-") as scratch:
        server = model_server(Path(scratch), NAME, SCRIPT, CALL_MS)
        with server as model, counted() as cpu_s:
            if cpu_s is None:
                print("no control group of our own can be made here, so nothing can be counted")
                return 1
            play = partial(_play, Path(scratch), f"{NAME}@{model.url}", cpu_s)
            one = play(1, 1)
            print(f"a run of one: {one.own_s:.2f} s and {one.sandboxes_s:.2f} s of CPU", flush=True)
            print("lanes      wall     ideal   coordinator     sandboxes", flush=True)
            for count in lanes:
                try:
                    cost = play(count, candidates)
                except RuntimeError as error:
                    print(f"{count:5} {error}", flush=True)
                    return 1
                own_ms = (cost.own_s - one.own_s) / (candidates - 1) * 1000
                sandboxes_ms = (cost.sandboxes_s - one.sandboxes_s) / (candidates - 1) * 1000
                times = f"{count:5} {cost.wall_s:7.1f} s {candidates / count * WAITING_S:7.1f} s"
                print(f"{times} {own_ms:10.1f} ms {sandboxes_ms:10.1f} ms", flush=True)
    return 0


def _play(scratch: Path, model: str, cpu_s: Seconds, lanes: int, candidates: int) -> PipelineCost:
    folder = scratch / f"{candidates}by{lanes}"
    folder.mkdir()
    options = ("--model", model, "--domain", DOMAIN, "--experiment", "pipeline")
    before = cpu_s()
    own_s = play_metered(folder, *options, "--generations", str(candidates), "--lanes", str(lanes))
    all_s = cpu_s() - before
    return PipelineCost(_wall_s(folder / "results"), own_s, all_s - own_s)


def _wall_s(results: Path) -> float:
    """Seconds from the first closing to the last of a run's generations."""
    (record,) = results.rglob("run_config.json")
    config = read_record_of(record.parent).configuration
    with reading(RunFolder(record.parent), config) as marks:
        times = [
            datetime.fromisoformat(closing.closed_utc)
            for closing in every_closing(marks, config.agents)
            if isinstance(closing.manifest.generation, int)
        ]
    return (max(times) - min(times)).total_seconds()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lanes", type=int, nargs="+", default=LANES)
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    return parser


if __name__ == "__main__":
    sys.exit(main(**vars(_parser().parse_args())))
