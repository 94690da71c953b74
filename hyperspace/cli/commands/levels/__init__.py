"""`hyperspace levels`: levels of self-improvement on some tasks, under one budget, compared.

The runs are those of `hyperspace solo --level ... --budget ...`, and of `hyperspace arena` where a
task has an oracle, in sets: so the same command goes on with what is unfinished, wherever it was
killed. Shuffled advice comes last, because it is that of finished runs. What stands of the arenas
is put before the best code of other seeds when all is played.
"""

import argparse
import sys
from argparse import ArgumentTypeError
from contextlib import suppress
from typing import TYPE_CHECKING

from hyperspace.cli.arguments.declared import add_options
from hyperspace.cli.arguments.launching import Launching
from replication.level_comparison.names import CONTROLS, LEVELS, SHUFFLED
from replication.options import SoloOptions

if TYPE_CHECKING:
    from pathlib import Path

    from hyperspace.cli.commands.levels.planning import LevelSet
    from replication.level_comparison.records import LevelComparison
    from replication.report.grouping import Experiment

SUMMARY = "play every level of self-improvement and its controls under one budget, and compare them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--tasks", nargs="+", required=True, metavar="D", help="domains, as --domain names them"
    )
    parser.add_argument(
        "--models",
        nargs="+",
        required=True,
        metavar="M",
        help="models that improve the code; all levels are played with each",
    )
    parser.add_argument(
        "--levels",
        type=parse_levels,
        default=LEVELS,
        metavar="LEVEL,...",
        help=f"what to play, a control with its level: {', '.join(LEVELS)} (default: all)",
    )
    add_options(parser, "levels", (SoloOptions, Launching))


def parse_levels(text: str) -> tuple[str, ...]:
    """Parse names of levels with commas between them; `best_of_n` is best of N.

    Returns:
        The levels in the order of `LEVELS`.
    """
    by_name = {level.lower(): level for level in LEVELS}
    names = [name.strip() for name in text.split(",")]
    levels = [by_name.get(name.lower().replace("_", " ")) for name in names]
    if None in levels:
        unknown = names[levels.index(None)]
        raise ArgumentTypeError(f"no level {unknown!r}; there are {', '.join(LEVELS)}")
    if len(set(levels)) < len(levels):
        raise ArgumentTypeError(f"{text} names a level twice")
    for control, level in CONTROLS.items():
        if control in levels and level not in levels:
            raise ArgumentTypeError(f"{control} is a control of {level}; name {level}, too")
    return tuple(level for level in LEVELS if level in levels)


def run(args: argparse.Namespace) -> int:
    """Play what is not played yet, and compare."""
    from hyperspace.cli.commands.levels.forecasting import print_level_forecast
    from hyperspace.cli.commands.levels.planning import LevelSet
    from hyperspace.cli.sets import check_size, complain, play_members
    from hyperspace.kernel.errors import RecordUnreadable

    levels = LevelSet(args)
    check_size(levels.count)
    first = levels.before_shuffling()
    for run in first:
        if run.options.seed == args.seeds[0]:  # what is wrong with the command is said once, here
            with suppress(RecordUnreadable):  # which concerns that run alone
                run.setup(connect=not args.dry_run)
    if args.dry_run:
        return print_level_forecast(first, shuffles=levels.shuffles, as_json=args.json)
    if SHUFFLED in args.levels and not levels.shuffles:
        told = "shuffled advice is that of another seed, so with one seed there is no such control"
        print(told, file=sys.stderr)
    for task in levels.without_arena:
        print(f"{task} has no oracle that an arena needs, so none is played", file=sys.stderr)
    for members in (lambda: first, levels.shuffled):
        runs = [member.shown for member in members() if not member.is_played()]
        if code := complain(play_members(runs, args.parallel) if runs else []):
            return code
    return _compare(levels, args)


def _compare(levels: "LevelSet", args: argparse.Namespace) -> int:
    from hyperspace.cli.commands.levels.hardness import hardness_of
    from hyperspace.cli.printing.dashboard_link import tell_page
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.runs.finding import read_scored_folder
    from replication.level_comparison.comparing import PlayedArena, comparison_of
    from replication.level_comparison.outputs import comparison_lines
    from replication.report.grouping import experiments_of

    experiments = experiments_of(map(read_scored_folder, levels.folders))
    arenas = [
        PlayedArena(setting.experiment, name, read_scored_folder(member.folder))
        for (setting, name, _), member in levels.arenas.items()
    ]
    comparison = comparison_of(experiments, args.budget, arenas, hardness_of(levels))
    _write(comparison, experiments, args.results)
    if args.json:
        print_json(comparison)
    else:
        sys.stdout.writelines(f"{line}\n" for line in comparison_lines(comparison))
    tell_page(levels.folders)
    return 0


def _write(comparison: "LevelComparison", experiments: "list[Experiment]", results: "Path") -> None:
    from hyperspace.kernel.files import pretty_json, write_atomically
    from hyperspace.reporting.figures import FiguresUnavailable, to_png
    from hyperspace.reporting.output import say_written
    from replication.level_comparison.outputs import curves_figure, runs_csv

    files = {"csv": runs_csv(comparison), "json": pretty_json(comparison)}
    try:
        if experiments:  # arenas have no curve
            files["png"] = to_png(curves_figure(experiments).figure)
    except FiguresUnavailable as error:
        print(f"no figure is drawn: {error}", file=sys.stderr)
    for suffix, data in files.items():
        target = results / f"levels_{comparison.budget}calls.{suffix}"
        write_atomically(target, data)
        say_written(target)
