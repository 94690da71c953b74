"""Makes a run of any length without sandboxes: what is closed is made up, how it is closed is not.

    python -m benchmarks.made_run RUN LOG LAST

What it costs to keep a generation, and to take the run up again, is that of a run that was played;
it is there in minutes, not in hours. Notes what `benchmarks.long_run` notes, and ends like it.
"""

import sys
from pathlib import Path
from random import Random

from benchmarks import trivial
from benchmarks.long_run import Notes, opened
from domains.base import SPLITS
from evolution.files import write_synced
from evolution.generation.attempt import Attempt
from evolution.generation.draft import Chosen, Draft
from evolution.generation.publish import publish
from evolution.generation.report import report
from evolution.generation.sight import look
from evolution.generation.team import Participant, Team
from evolution.run.recover import recover
from evolution.state.manifest import SplitResult

TRACE_BYTES = 12_000  # what a played generation of the least task has


def main(run: str, log: str, last: str) -> None:
    """Close generation after generation, from wherever the run is."""
    with opened(Path(run), Notes(Path(log), int(last))) as (team, _):
        recover(team)
        (who,) = team.participants
        while True:
            close_next(team, who)


def close_next(team: Team, who: Participant) -> None:
    """Close the next generation, in the way of every generation, with a made-up outcome."""
    number = team.archives[who.name].next_generation()
    with Attempt(team, who, number, f"gen_{number}") as attempt:
        attempt.reach("look")
        sight = look(team, who, number, {})
        parent = team.select(team.archives[who.name], Random(number))
        draft = Draft.fork(team, who, number, sight, Chosen(parent))
        draft.code["task_agent.py"] = trivial.code(number)
        draft.gates = dict.fromkeys(("compile", "import", "signature", "smoke"), "passed")
        draft.splits = {
            split: SplitResult({item.id: "yes" for item in team.domain.items(split)}, 1.0, 1)
            for split in SPLITS[:2]
        }
        for name in ("llm_calls.jsonl", "edits.jsonl"):
            write_synced(attempt.folder / name, bytes(TRACE_BYTES))
        closing = publish(attempt, [draft], sight)
        report(team, who, closing)


if __name__ == "__main__":
    main(*sys.argv[1:])
