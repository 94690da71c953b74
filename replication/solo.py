"""A solo run: one agent that improves itself, with an archive of all that it has been.

`run_solo` starts a run or goes on with it; the result is read from the space at the end.
"""

from hyperspace.kernel.events import Observer, nobody
from hyperspace.launch.forecast import Forecast
from hyperspace.launch.playing import forecast_setup, play_to_result
from hyperspace.launch.setup import Setup, set_up
from replication.best_of_n import require_own
from replication.levels import require_fit
from replication.options import SoloOptions
from replication.result import SoloResult, compose


def run_solo(options: SoloOptions, observer: Observer) -> SoloResult:
    """Play a solo run to its end, from wherever it is.

    Raises:
        RunUsageError: The options do not fit together, or not with the folder's run.
        DomainError: The domain or its data cannot be used.
        ModelError: A model name is unknown or its endpoint does not answer.
        SandboxUnavailable: There is no sandbox that may run these models.
        RunHeld: Another coordinator works on this run.
        UnknownPrice: Money is limited and the price of a model is not known.
        RunPaused: A model went down, or a limit is reached; the same command goes on.
    """
    return play_to_result(prepare(options, observer), observer, compose)


def dry_run(options: SoloOptions) -> Forecast:
    """Forecast a solo run; asks no model and writes nothing.

    Raises:
        RunUsageError: The options do not fit together.
        PriceTableError: The person's prices cannot be read.
        UnknownPrice: Money is limited and the price of a model is not known.
    """
    return forecast_setup(prepare(options, nobody, connect=False))


def prepare(options: SoloOptions, observer: Observer, *, connect: bool = True) -> Setup:
    """Find everything that the options name; touches no file of the run.

    Raises:
        RunUsageError: The options do not fit together, or a control belongs to another arm.
        DomainError: The domain or its data cannot be used.
        ModelError: A model name is unknown, or its key is missing.
    """
    setup = set_up(options, observer, connect=connect)
    require_fit(options, setup)
    if options.arm is not None:
        require_own(options, setup.folder.root, options.arm.folder(setup.domain))
    return setup
