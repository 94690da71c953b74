"""`hyperspace steer`: ask something of a run that goes on; each wish is a mark of yours."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from hyperspace.options.values import above_zero, positive, whole_number
from hyperspace.reporting.command_line import add_json, add_run

if TYPE_CHECKING:
    from hyperspace.runs.steering import NeedEntry, SteeringEntry

SUMMARY = "pause a run, go on, stop or pin an agent, give up what fails, answer what it needs"
VERBS = {
    "pause": "wait before the next generation of every agent",
    "resume": "let a paused run go on",
    "stop-agent": "let an agent play no further generation; its best is tested at the end",
    "pin": "fork an agent's further generations from one of its own; `-` ends that",
    "fork": "let a new agent begin with an agent's code and play for the rest of the run",
    "say": "tell an agent, or all, something in the workspace of its next generation",
    "answer": "answer a need of an agent",
    "give-up": "close an agent's generation that is under way as one whose model did not answer",
    "quota": "set what an agent may take in all, within the run's limits",
    "needs": "list what agents ask, open and answered",
    "list": "list what was asked of the run, and where it took effect",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, about in VERBS.items():
        verb = verbs.add_parser(name, help=about, description=about)
        if name in ("stop-agent", "pin", "fork", "say", "give-up", "quota"):
            verb.add_argument("agent", metavar="AGENT", help="name of an agent of the run")
        if name == "pin":
            verb.add_argument(
                "generation", type=_pinned, metavar="GEN", help="number of a generation, or -"
            )
        if name == "give-up":
            about = "its number, where several are under way (--lanes)"
            verb.add_argument("generation", type=whole_number, metavar="GEN", nargs="?", help=about)
        if name == "fork":
            verb.add_argument(
                "generation", type=whole_number, metavar="GEN", help="number of a generation"
            )
            verb.add_argument("--as", required=True, metavar="NAME", dest="name", help="its name")
            verb.add_argument("--model", metavar="M", help="its model (default: the same one)")
        if name == "answer":
            verb.add_argument("need", metavar="NEED", help="the first characters of its id")
        if name in ("say", "answer"):
            verb.add_argument("text", metavar="TEXT", help="your words")
        if name == "quota":
            most = partial(verb.add_argument, metavar="N")
            most("--calls", type=positive, help="model calls")
            most("--usd", type=above_zero, help="US dollars")
            most("--tokens", type=positive, help="tokens sent and received")
        add_json(verb)


def run(args: argparse.Namespace) -> int:
    """Write the wish into the run's space, or list what is there."""
    from hyperspace.cli.printing.streaming import print_ascii

    if args.verb in ("needs", "list"):
        return _list(args)
    import msgspec

    from hyperspace.extensions.steering.requests import WishFields, ask_for, wish_of

    names = WishFields.__struct_fields__
    given = {name: value for name, value in vars(args).items() if name in names}
    steering = ask_for(args.run, wish_of(args.verb, msgspec.convert(given, WishFields)))
    if args.json:
        print_ascii(steering)
    else:
        from hyperspace.kernel.state.steering.records import told
        from hyperspace.runs.spaces.listing import printable

        print(f"on record: {printable(told(steering), _LONGEST)}")
        print(_GIVEN_UP if args.verb == "give-up" else _AT_A_LOOK)
    return 0


_LONGEST = 400
_AT_A_LOOK = "it takes effect at the next look: before a generation, or the final test"
_GIVEN_UP = "it takes effect within seconds where the run is played, else when it is gone on with"


def _list(args: argparse.Namespace) -> int:
    from hyperspace.cli.printing.streaming import print_ascii
    from hyperspace.runs.steering import read_steering

    steering = read_steering(args.run)
    if args.json:
        print_ascii(steering)
        return 0
    needs_only = args.verb == "needs"
    lines = (
        [_need_line(need) for need in steering.needs]
        if needs_only
        else [_mark_line(mark) for mark in steering.marks]
    )
    if steering.paused and not needs_only:
        lines.append(f"paused; hyperspace steer {args.run} resume goes on")
    print("\n".join(lines) or ("no needs" if needs_only else "nothing was asked of this run"))
    return 0


def _mark_line(mark: "SteeringEntry") -> str:
    from hyperspace.runs.spaces.listing import printable
    from hyperspace.runs.steering import place_text

    where = ", ".join(map(place_text, mark.places))
    effect = mark.effect if not where else f"{mark.effect} at {where}"
    return f"{mark.sequence:>6}  {mark.written_utc}  {printable(mark.text, _LONGEST)}: {effect}"


def _need_line(need: "NeedEntry") -> str:
    from hyperspace.runs.spaces.listing import printable

    kind = "waits for an answer" if need.blocking and need.answer is None else "asks"
    heading = f"{need.id[:8]}  {need.agent} gen {need.generation} {kind}: "
    answer = "open" if need.answer is None else f"answered: {printable(need.answer, _LONGEST)}"
    return f"{heading}{printable(need.question, _LONGEST)}\n          {answer}"


def _pinned(text: str) -> int | None:
    return None if text == "-" else whole_number(text)
