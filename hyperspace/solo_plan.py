"""From a command line of `hyperspace solo` to the runs that it asks for."""

import argparse
from collections.abc import Sequence

import msgspec

from evolution.errors import RunUsageError
from evolution.launch.crew import recruit
from evolution.solo import Annealing, SoloTerms
from hyperspace.fitness_arguments import with_fitness
from hyperspace.launch_arguments import launch_asked
from hyperspace.sets import Shown
from replication.arms import CONTROLS, Changes, Control, solo_terms
from replication.options import SoloOptions, beside


class PlannedSolo(msgspec.Struct, frozen=True):
    """One run that a command line asks for.

    Attributes:
        options: The run.
        control: Which control of the arm it is; None for the arm itself.
    """

    options: SoloOptions
    control: Control | None

    @property
    def label(self) -> str:
        """Names it among the others."""
        return f"{self.options.solo.arm} seed{self.options.seed}"

    def shown(self, args: argparse.Namespace) -> Shown:
        """The command line that plays it alone: the same one, and what tells it from the others."""
        control = () if self.control is None else ("--control", self.control)
        own = ("--seed", str(self.options.seed), "--no-controls", *control)
        agent = (self.options.agents()[0], self.options.models[0], self.options.generations)
        return Shown(self.label, (agent,), (*args.argv[1:], *own))


def plan(args: argparse.Namespace) -> list[PlannedSolo]:
    """Every run that a parsed command line asks for: the arm's seeds, then its controls'.

    Raises:
        RunUsageError: The options do not fit together.
        ModelError: The model is unknown or its key is missing.
    """
    asked: Control | None = args.control
    controls: tuple[Control | None, ...] = (asked, *_controls(args))
    arms: dict[Control | None, SoloTerms] = {one: _terms(args, one) for one in controls}
    return [
        PlannedSolo(_planned(args, terms, control, seed), control)
        for control, terms in arms.items()
        for seed in args.seeds
    ]


def _controls(args: argparse.Namespace) -> Sequence[Control]:
    """The controls beside the arm: they cost nothing with offline models."""
    if args.control is not None or args.arm in CONTROLS or args.controls is False:
        return ()
    wanted = args.controls or recruit((args.model,), args.eval_model).all_offline
    return CONTROLS if wanted else ()


def _planned(
    args: argparse.Namespace, terms: SoloTerms, control: Control | None, seed: int
) -> SoloOptions:
    asked = _options(args, terms, seed)
    if control != "best_of_n":
        return asked
    return beside(asked, _options(args, _terms(args, None), seed))


def _terms(args: argparse.Namespace, control: Control | None) -> SoloTerms:
    label = args.experiment or args.domain
    if label is None:
        raise RunUsageError("name the task: --domain D, or --experiment E with a domain's name")
    changes = Changes(
        selection=args.selection, frozen_meta=args.freeze_meta, annealing=_annealing(args)
    )
    # A domain's path and options are no part of a folder's name.
    experiment = args.experiment or label.partition("?")[0].rpartition(":")[2]
    terms = solo_terms(experiment, args.arm, changes, args.seed_agent, control)
    return with_fitness(terms, args)


def _annealing(args: argparse.Namespace) -> Annealing | None:
    asked = {"p0": args.annealing_p0, "decay": args.annealing_decay}
    given = {name: value for name, value in asked.items() if value is not None}
    if not (args.annealing or given):
        return None
    try:
        return Annealing(**given)
    except ValueError as error:
        raise RunUsageError(str(error)) from error


def _options(args: argparse.Namespace, terms: SoloTerms, seed: int) -> SoloOptions:
    return SoloOptions(
        models=(args.model,),
        domain=args.domain or args.experiment,
        generations=args.iterations,
        seed=seed,
        eval_model=args.eval_model,
        solo=terms,
        **launch_asked(args),
    )
