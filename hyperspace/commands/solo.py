"""`hyperspace solo`: one agent that improves itself; arms, their controls, and sets of seeds."""

import argparse
import sys
from typing import TYPE_CHECKING

from hyperspace.arguments.common import (
    add_first_generations,
    add_generations,
    add_json,
    positive,
    seeds,
)
from hyperspace.arguments.fitness import add_fitness
from hyperspace.arguments.launch import add_launch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolution.launch.forecast import Forecast
    from evolution.launch.sets import Outcome
    from hyperspace.solo_plan import PlannedSolo
    from replication.options import SoloOptions
    from replication.result import SoloResult

SUMMARY = "run one agent that improves its own code: an arm of the solo loop, and its controls"
CONTROLS = ("best_of_n", "aa")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--model",
        default="offline/climber",
        metavar="M",
        help="the agent's model (default: offline/climber, which needs no key)",
    )
    parser.add_argument(
        "--domain",
        metavar="D",
        help="the task: repo_quality, imo_grading, FILE.py:NAME, or several joined by +; needed, "
        "unless --experiment is the name of one",
    )
    parser.add_argument(
        "--experiment",
        metavar="E",
        help="label of the results folder <domain>/<experiment>/<arm>; needed, unless --domain is "
        "given and names it",
    )
    parser.add_argument(
        "--eval-model", metavar="M", help="model that task agents call (default: the agent's own)"
    )
    add_generations(parser)
    add_first_generations(parser)
    parser.add_argument(
        "--seed",
        "--seeds",
        type=seeds,
        default=(42,),
        metavar="N",
        dest="seeds",
        help="one seed, or a set of runs: 42..46 or 42,43,50 (default: 42)",
    )
    _add_arm(parser)
    add_fitness(parser)
    _add_set(parser)
    add_launch(parser)
    add_json(parser)


def _add_arm(parser: argparse.ArgumentParser) -> None:
    arm = parser.add_argument_group("arm", "what the run does differently from arm A, the full one")
    arm.add_argument(
        "--arm",
        default="a",
        metavar="ARM",
        help="a, b, c, d (or arm_a_full, arm_b_freeze, arm_c_random, arm_d_annealing), no_archive, "
        "dgm, dgm_custom (these three also as NAME_freeze), best_of_n, aa (default: a)",
    )
    arm.add_argument(
        "--selection",
        metavar="RULE",
        help="random, latest, best, initial, score_prop, score_child_prop, "
        "score_child_prop:paper, dgm, evolvable (the agent's own select_next_parent.py); "
        "default: the arm's, in most score_child_prop",
    )
    arm.add_argument(
        "--freeze-meta",
        action="store_true",
        default=None,
        help="the meta agent that runs is always generation 0's",
    )
    arm.add_argument(
        "--annealing", action="store_true", help="hold tournaments: blind against directed"
    )
    arm.add_argument(
        "--annealing-p0", type=float, metavar="P", help="first probability (default: 0.5)"
    )
    arm.add_argument(
        "--annealing-decay", type=float, metavar="F", help="factor each (default: 0.9)"
    )
    arm.add_argument(
        "--seed-agent",
        choices=("published", "informed"),
        default="published",
        help="whether the first meta agent tells the model of its history and the iterations left "
        "(default: published, which does not)",
    )
    arm.add_argument(
        "--control",
        choices=CONTROLS,
        help="play this control of the arm in its place (default: none, the arm itself)",
    )


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--controls",
        action=argparse.BooleanOptionalAction,
        help="play best_of_n and aa beside the arm (default: with offline models)",
    )
    parser.add_argument(
        "--parallel", type=positive, metavar="N", help="runs at the same time (default: cores)"
    )
    parser.add_argument(
        "--events", action="store_true", help="print events and the result as JSON lines, no more"
    )


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the runs that the options name."""
    from hyperspace.solo_plan import plan

    planned = plan(args)
    if args.dry_run:
        return look_ahead(planned, as_json=args.json)
    if len(planned) == 1:
        return launch(planned[0].options, as_json=args.json, events=args.events)
    return launch_set(planned, args)


def look_ahead(planned: "Sequence[PlannedSolo]", *, as_json: bool) -> int:
    """Print what the runs will take together."""
    from hyperspace.printing.forecasts import print_forecast

    print_forecast(_forecast(planned), as_json=as_json)
    return 0


def _forecast(planned: "Sequence[PlannedSolo]") -> "Forecast":
    from evolution.launch.forecast import together
    from replication.solo import dry_run

    return together({one.label: dry_run(one.options) for one in planned})


def launch(options: "SoloOptions", *, as_json: bool, events: bool = False) -> int:
    """Play a solo run with progress and print its result."""
    from hyperspace.printing.progress import progress
    from hyperspace.printing.streaming import streaming
    from replication.solo import run_solo

    agents = list(zip(options.agents(), options.models, strict=True))
    shown = streaming() if events else progress(agents, options.generations)
    with shown as observer:
        result = run_solo(options, observer)
    show(result, as_json=as_json or events)
    return 0


def launch_set(planned: "Sequence[PlannedSolo]", args: argparse.Namespace) -> int:
    """Play several runs with one view of all, and print what they came to."""
    from evolution.events import Event
    from hyperspace.sets import complain, play_shown
    from replication.solo import prepare

    def nobody(_event: Event) -> None:
        pass

    for one in planned:
        # What is wrong with the command is said once, and here; a control may be another arm's.
        if one is planned[0] or one.options.arm is not None:
            prepare(one.options, nobody)
    _tell_cost(planned, args)
    outcomes = play_shown([one.shown(args) for one in planned], args.parallel)
    _show_set(outcomes, as_json=args.json)
    return complain(outcomes)


def _tell_cost(planned: "Sequence[PlannedSolo]", args: argparse.Namespace) -> None:
    """Say what an arm and its controls will take together, where a model may cost."""
    from evolution.launch.run_models import resolve_models
    from hyperspace.printing.forecasts import print_forecast_table

    if args.controls and not resolve_models((args.model,), args.eval_model).all_offline:
        print_forecast_table(_forecast(planned), sys.stderr if args.json else sys.stdout)


def show(result: "SoloResult", *, as_json: bool) -> None:
    """Print a result on standard output, as JSON or as a table."""
    from replication.result import fields_of

    if as_json:
        _print_json(fields_of(result))
        return
    from hyperspace.printing.solo_tables import print_solo

    print_solo(result)


def _show_set(outcomes: "Sequence[Outcome]", *, as_json: bool) -> None:
    from hyperspace.printing.solo_tables import print_set
    from hyperspace.sets import to_json

    if as_json:
        sys.stdout.write(to_json(outcomes) + "\n")
        return

    print_set(outcomes)


def _print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
