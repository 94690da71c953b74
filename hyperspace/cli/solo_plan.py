"""From a command line of `hyperspace solo` to the runs that it asks for."""

import argparse
from collections.abc import Sequence
from typing import Final

import msgspec

from hyperspace.cli.arguments.declared import values
from hyperspace.cli.sets import check_size
from hyperspace.cli.sweep_jobs import Shown
from hyperspace.kernel.errors import RecordUnreadable, RunUsageError
from hyperspace.launch.existing import with_existing_budgets
from hyperspace.launch.run_models import resolve_models
from hyperspace.options.launch import LaunchOptions
from hyperspace.options.option import declared
from hyperspace.options.solo import Annealing, SoloTerms
from hyperspace.tasks.base import Domain
from hyperspace.tasks.registry import load
from replication.arms import CONTROLS, Changes, Control, solo_terms
from replication.best_of_n import beside
from replication.levels import level_asked, level_terms, require_alone, with_budget
from replication.options import SoloOptions

_ANNEALED: Final = ("d", "arm_d_annealing")


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
        return Shown(self.label, self.options, (*args.argv[1:], *own))


def plan(args: argparse.Namespace) -> list[PlannedSolo]:
    """Every run that a parsed command line asks for: the arm's seeds, then its controls'.

    Raises:
        RunUsageError: The options do not fit together.
        DomainError: The domain or its data cannot be used.
        ModelError: The model is unknown or its key is missing.
    """
    require_alone(args)
    chosen: Control | None = args.control
    if args.controls and (chosen is not None or args.arm in CONTROLS):
        raise RunUsageError(f"{chosen or args.arm} is a control itself; leave out --controls")
    controls: tuple[Control | None, ...] = (chosen, *_controls(args))
    check_size(len(controls) * len(args.seeds))
    arms: dict[Control | None, SoloTerms] = {control: _terms(args, control) for control in controls}
    # The domain gives the runs their place; without a number each is as long as it is there.
    name, seed = args.domain or args.experiment, args.seeds[0]
    domain = None if args.generations else load(name, data=args.data, run_seed=seed)
    planned: list[PlannedSolo] = []
    for control, terms in arms.items():
        for seed in args.seeds:
            options = _options(args, terms, seed, domain)
            if control == "best_of_n" and args.level is None:
                options = beside(options, _options(args, _terms(args, None), seed, domain))
            planned.append(PlannedSolo(options, control))
    if args.events and len(planned) > 1:
        raise RunUsageError(
            f"--events tells of one run, and this is a set of {len(planned)}; "
            "name one --seed, with --no-controls"
        )
    return planned


def _controls(args: argparse.Namespace) -> Sequence[Control]:
    """The controls beside the arm: they cost nothing with offline models."""
    if args.control is not None or args.arm in CONTROLS or args.controls is False:
        return ()
    if args.level is not None:  # levels are compared with each other
        return ()
    wanted = (
        args.controls or resolve_models((args.model,), args.eval_model, connect=False).all_offline
    )
    return CONTROLS if wanted else ()


def _terms(args: argparse.Namespace, control: Control | None) -> SoloTerms:
    label = args.experiment or args.domain
    if label is None:
        raise RunUsageError("name the task: --domain D, or --experiment E with a domain's name")
    changes = Changes(
        selection=args.selection, frozen_meta=args.freeze_meta, annealing=_annealing(args)
    )
    # A domain's path and options are no part of a folder's name.
    experiment = args.experiment or label.partition("?")[0].rpartition(":")[2]
    choice = level_asked(args)
    if choice is None:
        terms = solo_terms(experiment, args.arm, changes, args.seed_agent, control)
    else:
        terms = level_terms(experiment, choice)
    return _with_fitness(terms, args)


def _with_fitness(terms: SoloTerms, args: argparse.Namespace) -> SoloTerms:
    """Return terms with what is asked about fitness: no part of an arm's name, and of every arm."""
    if args.ensemble_size is not None and args.optimise == "agent":
        raise RunUsageError(
            "--ensemble-size does nothing while fitness is the agent's alone; "
            "add --optimise ensemble or --optimise both"
        )
    settings = {
        option.field: getattr(args, option.option.name)
        for option in declared(SoloTerms)
        if option.option.group == "evaluation"
    }
    given = {name: value for name, value in settings.items() if value is not None}
    try:
        return msgspec.structs.replace(terms, **given)
    except ValueError as error:
        raise RunUsageError(str(error)) from error


def _annealing(args: argparse.Namespace) -> Annealing | None:
    settings = {"p0": args.annealing_p0, "decay": args.annealing_decay}
    given = {name: value for name, value in settings.items() if value is not None}
    if given and not (args.annealing or args.arm in _ANNEALED):
        raise RunUsageError(
            f"{' and '.join(f'--annealing-{name}' for name in given)} would hold tournaments, "
            f"which arm {args.arm} has none of; add --annealing, or use --arm d"
        )
    if not (args.annealing or given):
        return None
    try:
        return Annealing(**given)
    except ValueError as error:
        raise RunUsageError(str(error)) from error


def _options(
    args: argparse.Namespace, terms: SoloTerms, seed: int, domain: Domain | None
) -> SoloOptions:
    """The options of one run.

    Args:
        args: The parsed command line.
        terms: Of the arm.
        seed: The run seed.
        domain: The task, where no number of generations is given; None where one is.
    """
    own = {"domain", "generations", "eval_model"}
    launch = {k: v for k, v in values(args, LaunchOptions, "solo").items() if k not in own}
    options = SoloOptions(
        models=(args.model,),
        domain=args.domain or args.experiment,
        generations=args.generations or args.generations_if_new,
        seed=seed,
        eval_model=args.eval_model,
        solo=terms,
        reviewer=args.reviewer,
        command=tuple(args.argv),
        **launch,
    )
    if domain is None:
        return options
    if args.level is not None:
        options = with_budget(options, domain)
    try:
        return with_existing_budgets(options, domain)
    except RecordUnreadable:  # it says so when it is played, and stops none of the others
        return options
