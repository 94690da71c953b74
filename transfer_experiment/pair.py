"""A run in which agents share: a pair in turns, or a fleet of any size.

`run_pair` starts a run or goes on with it; the result is read from the space at the end.
"""

from hyperspace.kernel.events import Observer, nobody
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.launch.forecast import Forecast
from hyperspace.launch.playing import forecast_setup, play_to_result
from hyperspace.launch.setup import Setup, set_up
from hyperspace.options.launch import LaunchOptions
from transfer_experiment.result import PairResult, compose


def run_pair(options: LaunchOptions, observer: Observer) -> PairResult:
    """Play a pair, or a fleet, to its end, from wherever it is.

    Raises:
        RunUsageError: The options do not fit together, or not with the folder's run.
        DomainError: The domain or its data cannot be used.
        ModelError: A model name is unknown or its endpoint does not answer.
        SandboxUnavailable: There is no sandbox that may run these models.
        RunHeld: Another coordinator works on this run.
        UnknownPrice: Money is limited and the price of a model is not known.
        RunPaused: A model went down, or a limit is reached; the same command goes on.
    """

    def conclude(setup: Setup, marks: RunMarks, was_finished: bool) -> PairResult:
        return compose(setup.folder, marks, was_finished=was_finished)

    return play_to_result(set_up(options, observer), observer, conclude)


def dry_run(options: LaunchOptions) -> Forecast:
    """Forecast a pair, or a fleet; asks no model and writes nothing.

    Raises:
        RunUsageError: The options do not fit together.
        PriceTableError: The person's prices cannot be read.
        UnknownPrice: Money is limited and the price of a model is not known.
    """
    return forecast_setup(set_up(options, nobody, connect=False))
