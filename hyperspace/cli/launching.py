"""Playing a run that a command line asks for, of any kind, or forecasting several."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hyperspace.audit.audit import promised_head
from hyperspace.cli.detaching import detached
from hyperspace.cli.printing.dashboard_link import tell_page
from hyperspace.cli.printing.endings import tell_nothing
from hyperspace.cli.printing.forecasts import print_forecast
from hyperspace.cli.printing.progress import progress
from hyperspace.cli.printing.streaming import print_json, streaming
from hyperspace.cli.printing.tables import print_result
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.launch.forecast import Forecast, together
from hyperspace.launch.trust import load_domain
from hyperspace.launch.validation_seen import ValidationSeen, seen_on_record
from hyperspace.options.launch import LaunchOptions
from replication import solo
from replication.options import SoloOptions
from transfer_experiment import pair
from transfer_experiment.options import FleetOptions, PairOptions


def look_ahead(runs: Mapping[str, LaunchOptions], *, as_json: bool) -> int:
    """Print what runs, by their labels, will take together."""
    print_forecast(
        together({label: forecast_of(run) for label, run in runs.items()}), as_json=as_json
    )
    return 0


def forecast_of(run: LaunchOptions) -> Forecast:
    """Forecast a run of any kind; see `replication.solo.dry_run`."""
    return solo.dry_run(run) if isinstance(run, SoloOptions) else pair.dry_run(run)


def options_kind(run: Path) -> type[LaunchOptions]:
    """Return the record that declares the options of a run in a folder."""
    kinds = {"solo": SoloOptions, "pair": PairOptions, "fleet": FleetOptions}
    return kinds[read_record_of(run).configuration.kind]


def detach(args: argparse.Namespace, runs: Sequence[LaunchOptions]) -> int:
    """Play runs of a command line in the background, and return when they have begun."""
    return detached(args, [run.folder(load_domain(run)) for run in runs])


def launch(
    options: LaunchOptions, *, as_json: bool, events: bool = False, of_set: bool = False
) -> int:
    """Play a run with progress and print its result; return the exit code.

    Args:
        options: The run.
        as_json: Whether the result is one JSON object.
        events: Whether standard output tells events, and the result last, as JSON lines.
        of_set: Whether it is a run of a set, which tells itself what came to nothing.
    """
    agents = zip(options.agents(), options.models, options.budgets(), strict=True)
    shown = streaming() if events else progress(agents)
    with shown as observer:
        if isinstance(options, SoloOptions):
            result = solo.run_solo(options, observer)
        else:
            result = pair.run_pair(options, observer)
    folder = RunFolder(Path(result.run))
    head = promised_head(folder)
    if as_json or events:
        print_json({**result.fields(), "audit_head": head})
    else:
        print_result(result)
        _print_on_record(head, seen_on_record(folder))
    if of_set:
        return 0
    if not events:
        tell_page([folder.root])
    return tell_nothing(result.run, result.nothing, whole=result.came_to_nothing)


def _print_on_record(head: str | None, seen: ValidationSeen | None) -> None:
    """Tell what is to be noted of a run, beside its result."""
    if seen is not None:
        told = (
            f"what agents saw of validation (val={seen.visible}) could tell them at most "
            f"{seen.most_bits:g} bits about its labels: as many yes-or-no questions"
        )
        print(told, file=sys.stderr)
    print(
        f"audit head {head}: the hash of all that is on record; with it, hyperspace audit RUN "
        "--head HEX tells later whether anything was rewritten",
        file=sys.stderr,
    )
