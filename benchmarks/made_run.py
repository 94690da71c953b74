"""Makes a run of any length without sandboxes: what is closed is made up, how it is closed is not.

    python -m benchmarks.made_run RUN LOG LAST

What it costs to keep a generation, and to take the run up again, is that of a run that was played;
it is there in minutes, not in hours. Notes what `benchmarks.long_run` notes, and ends like it.
"""

import sys
from pathlib import Path
from random import Random

import anyio

from benchmarks import trivial
from benchmarks.long_run import Notes, opened
from hyperspace.kernel.files import write_synced
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate, Chosen
from hyperspace.kernel.generation.publish import publish
from hyperspace.kernel.generation.report import report
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.generation.visible_strategies import snapshot_visible
from hyperspace.kernel.run.recover import recover
from hyperspace.kernel.state.manifest import SplitResult
from hyperspace.tasks.base import SPLITS

TRACE_BYTES = 12_000  # what a played generation of the least task has


def main(run: str, log: str, last: str) -> None:
    """Close generation after generation, from wherever the run is."""
    with opened(Path(run), Notes(Path(log), int(last))) as (context, _):
        recover(context)
        (who,) = context.participants
        while True:
            close_next(context, who)


def close_next(context: RunContext, who: Participant) -> None:
    """Close the next generation, in the way of every generation, with a made-up outcome."""
    number = context.archives[who.name].next_generation()
    with Attempt(context, who, number, f"gen_{number}") as attempt:
        attempt.reach("look")
        sight = snapshot_visible(context, who, number, {})
        parent = context.select(context.archives[who.name], Random(number))
        candidate = Candidate.fork(context, who, number, sight, Chosen(parent))
        candidate.code["task_agent.py"] = trivial.code(number)
        candidate.gates = dict.fromkeys(("compile", "import", "signature", "smoke"), "passed")
        candidate.splits = {
            split: SplitResult({item.id: "yes" for item in context.domain.items(split)}, 1.0, 1)
            for split in SPLITS[:2]
        }
        for name in ("llm_calls.jsonl", "edits.jsonl"):
            write_synced(attempt.folder / name, bytes(TRACE_BYTES))
        closing = anyio.run(publish, attempt, [candidate], sight)
        report(context, who, closing)


if __name__ == "__main__":
    main(*sys.argv[1:])
