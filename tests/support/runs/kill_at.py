"""Runs `hyperspace pair`, `fleet`, `arena` or `solo`; kills it with SIGKILL at a chosen position.

    python -m tests.support.runs.kill_at LOG POSITION pair OPTIONS...

Positions are `<agent>:<generation>:<step>` for a step, `<agent>:<generation>:call:<n>` for the
n-th model call of an attempt, `<agent>:<generation>:item:<split>:<n>` for an evaluated item, or
`event:<n>` for the n-th event whatever it is. Each position reached is appended to LOG before
anything else happens. POSITION `-` never kills.
"""

import argparse
import os
import signal
import sys
from collections import Counter
from pathlib import Path

from hyperspace.cli.commands import arena, fleet, pair, solo
from hyperspace.cli.solo_plan import plan
from hyperspace.kernel.events import Event, ItemEvaluated, ModelCalled, StepReached
from replication.solo import run_solo
from transfer_experiment.pair import run_pair


class Killer:
    """An observer that ends this process, as a power cut would, at one position."""

    def __init__(self, log: Path, position: str) -> None:
        self._log = log
        self._position = position
        self._calls = Counter[str]()
        self._events = 0

    def __call__(self, event: Event) -> None:
        self._events += 1
        for name in (self._name(event), f"event:{self._events}"):
            with self._log.open("a") as log:
                log.write(name + "\n")
            if name == self._position:
                os.kill(os.getpid(), signal.SIGKILL)

    def _name(self, event: Event) -> str:
        match event:
            case StepReached():
                if event.step == "look":
                    self._calls[event.agent] = 0
                return f"{event.agent}:{event.generation}:{event.step}"
            case ModelCalled():
                self._calls[event.agent] += 1
                return f"{event.agent}:{event.generation}:call:{self._calls[event.agent]}"
            case ItemEvaluated():
                return f"{event.agent}:{event.generation}:item:{event.split}:{event.done}"
            case _:
                return type(event).__name__


def main(log: str, position: str, command: str, *arguments: str) -> None:
    module = {"pair": pair, "fleet": fleet, "arena": arena, "solo": solo}[command]
    parser = argparse.ArgumentParser(add_help=False)
    module.add_arguments(parser)
    args = parser.parse_args(arguments)
    args.argv = ("hyperspace", command, *arguments)
    killer = Killer(Path(log), position)
    if command == "solo":
        run_solo(plan(args)[0].options, killer)
        return
    if command == "pair":
        run_pair(pair.options_from(args), killer)
    else:
        run_pair((arena if command == "arena" else fleet).options_from(args)[0], killer)


if __name__ == "__main__":
    main(*sys.argv[1:])
