"""Options of solo runs about what a generation's fitness is made of."""

import argparse
from typing import TYPE_CHECKING

from hyperspace.arguments.common import positive

if TYPE_CHECKING:
    from evolution.options.solo import SoloTerms


def add_fitness(parser: argparse.ArgumentParser) -> None:
    """Declare the options; they are no part of an arm's name, and of a run's configuration."""
    group = parser.add_argument_group("evaluation", "how candidates are judged, in every arm")
    group.add_argument(
        "--skip-staged",
        action="store_true",
        help="evaluate on all of train and on validation, whatever the staged pass would say",
    )
    group.add_argument(
        "--eval-test",
        action="store_true",
        help="evaluate every generation on test too; the run is marked as test-exposed",
    )
    group.add_argument(
        "--optimise",
        "--optimize",
        choices=("agent", "ensemble", "both"),
        default="agent",
        help="what fitness is of: the agent, its ensemble with the best earlier ones, the mean "
        "of both (default: agent)",
    )
    group.add_argument(
        "--ensemble-size",
        type=positive,
        metavar="K",
        help="with --optimise ensemble or both: most members, at least 2 (default: 5)",
    )


def with_fitness(terms: "SoloTerms", args: argparse.Namespace) -> "SoloTerms":
    """Terms with what the options say.

    Raises:
        RunUsageError: A value is out of its range, or would do nothing.
    """
    import msgspec

    from evolution.errors import RunUsageError

    size = args.ensemble_size
    if size is not None and args.optimise == "agent":
        raise RunUsageError(
            "--ensemble-size does nothing while fitness is the agent's alone; "
            "add --optimise ensemble or --optimise both"
        )
    try:
        return msgspec.structs.replace(
            terms,
            staged=not args.skip_staged,
            eval_test=args.eval_test,
            optimise=args.optimise,
            ensemble_size=terms.ensemble_size if size is None else size,
        )
    except ValueError as error:
        raise RunUsageError(str(error)) from error
