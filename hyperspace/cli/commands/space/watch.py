"""`hyperspace space watch`: new marks as they are committed, by whatever process."""

import argparse
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hyperspace.cli.commands.space.place import Place, add_lines, add_scope
from hyperspace.cli.watching.interrupts import Interrupts
from hyperspace.options.values import whole_number

if TYPE_CHECKING:
    from hyperspace.runs.spaces.opening import Kept

SUMMARY = "follow new marks until Ctrl-C"
LOOK_S = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's options."""
    add_scope(parser)
    parser.add_argument(
        "--after",
        type=whole_number,
        metavar="SEQUENCE",
        help="begin after this mark; without it, with the next mark",
    )
    add_lines(parser)


def run(args: argparse.Namespace, opened: Place) -> int:
    """Print marks as they come. Ctrl-C is the way it ends."""
    from hyperspace.runs.spaces.listing import to_json, to_text
    from hyperspace.runs.spaces.opening import check_scope
    from markspace.errors import StoreError

    check_scope(opened.space, args.scope)
    seen = opened.space.head() if args.after is None else args.after
    print(f"watching {opened.name} after mark {seen}; Ctrl-C ends it", file=sys.stderr, flush=True)
    interrupted = Interrupts(signal.SIGINT)
    try:
        for mark in _follow(opened, seen, args.scope, interrupted):
            line = to_json(mark).decode() if args.json else to_text(mark, opened.wording)
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
            seen = mark.sequence
            if interrupted.is_set():
                break
    except StoreError:
        print(f"printed up to mark {seen}; go on with --after {seen}", file=sys.stderr)
        raise
    return 0


def _follow(
    opened: Place, after: int, scope: str | None, interrupted: Interrupts
) -> Iterator["Kept"]:
    from hyperspace.runs.spaces.opening import kept

    while not interrupted.is_set():
        if opened.space.store.wait(after, LOOK_S):
            # What lies elsewhere is passed over only once it is known to be there.
            head = opened.space.head()
            for mark in kept(opened.space, scope=scope, after=after):
                yield mark
                head = max(head, mark.sequence)
            after = head
