"""A detector in one file: did an agent try something out before it handed in its code?

    python docs/examples/detector.py analyze RUN

A detector is a pure function, called with each generation (`in_turn`), each agent (`in_agent`) or
the run (`in_run`); its kind says how findings are told, encoded and counted. This program is
`hyperspace` with one detector more; in `transfer_experiment/detectors/` the file needs no more
than to be there.
"""

import re
from collections.abc import Iterator

from hyperspace.cli import start
from transfer_experiment.findings import Finding, FindingKind, Turn, in_turn

TRIALS = FindingKind(name="trials", title="ran a program of its own")
_PYTHON = re.compile(r"\bpython3?\b")


@in_turn(TRIALS)
def trials(turn: Turn) -> Iterator[Finding]:
    """Find the tool calls of a generation that start Python."""
    for call in turn.calls:
        if _PYTHON.search(call.tool.text):
            yield TRIALS.finding(turn.agent, turn.generation, [call.evidence()])


if __name__ == "__main__":
    start.entry()
