"""`hyperspace play`: one answer of a run, played or shown from its record."""

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.options.values import above_zero, whole_number
from hyperspace.reporting.command_line import add_json
from hyperspace.tasks.base import SPLITS

if TYPE_CHECKING:
    from hyperspace.runs.episodes import Frame, RecordedAnswer

SUMMARY = (
    "show an answer of a run, or play its episode again, from the record; runs no agent's code"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "run",
        metavar="RUN[#AGENT[/gen_N]]",
        help="run folder, agent, and generation (default: its best; of test, the final one)",
    )
    parser.add_argument("--split", choices=SPLITS, default="val", help="of which (default: val)")
    parser.add_argument(
        "--item",
        type=whole_number,
        default=0,
        metavar="K",
        help="which item of the split (default: 0)",
    )
    parser.add_argument(
        "--speed",
        type=above_zero,
        default=10.0,
        metavar="S",
        help="steps a second in a terminal (default: 10)",
    )
    parser.add_argument(
        "--domain", metavar="FILE.py:NAME", help="the run's domain, where that is code in a file"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the domain's data")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Read the answer, hold it against the record, and show it."""
    from hyperspace.launch.recorded import find_recorded
    from hyperspace.runs.episodes import frames, recorded_answer
    from hyperspace.tasks.base import leaf_of
    from hyperspace.tasks.shapes.interactive import Interactive

    found = find_recorded(args.run, args.split, args.domain, args.data)
    answer = recorded_answer(found.domain, found.manifest, found.folder, args.split, args.item)
    is_played = isinstance(leaf_of(found.domain, answer.item).domain, Interactive)
    shown = frames(found.domain, answer) if is_played else ()
    if args.json:
        _print_json(answer, shown)
        return 0
    if is_played:
        _show(shown, args.speed)
    else:
        sys.stdout.write(_safe(answer.answer) + "\n")
    _print_outcome(answer)
    return 0


def _print_json(answer: "RecordedAnswer", shown: "Iterable[Frame]") -> None:
    from hyperspace.cli.printing.streaming import print_ascii

    record = answer._asdict() | {"item": answer.item.id, "frames": [f._asdict() for f in shown]}
    print_ascii(record)


def _show(shown: "Iterable[Frame]", speed: float) -> None:
    """Draw frame after frame: over each other in a terminal, below each other elsewhere."""
    from hyperspace.cli.printing.terminal import clear

    is_terminal = sys.stdout.isatty()
    for frame in shown:
        head = f"step {frame.step}: {_safe(frame.action)}" if frame.step else "start"
        if is_terminal:
            clear()
        sys.stdout.write(f"{head}\n{frame.picture}\n")
        sys.stdout.flush()
        if is_terminal:
            time.sleep(1 / speed)


def _print_outcome(answer: "RecordedAnswer") -> None:
    outcome = answer.outcome
    if outcome is None:
        sys.stdout.write(f"{answer.split} item {answer.item.id}: the label is {answer.label}\n")
        return
    details = "".join(f", {name} {value}" for name, value in sorted(outcome.details.items()))
    why = f" ({_safe(outcome.reason)})" if outcome.reason else ""
    sys.stdout.write(
        f"{answer.split} item {answer.item.id}: score {outcome.score:g}{why}{details}\n"
    )
    if answer.error:
        sys.stdout.write(f"ended early: {_safe(answer.error)}\n")


def _safe(text: str) -> str:
    """Return text of an agent without what a terminal would obey; lines stay."""
    from guards.scope.changes import printable

    return "\n".join(printable(line) for line in text.split("\n"))
