"""A paired run: two agents on two models, in turns, with an eye on each other's best.

`run_pair` starts a run or goes on with it; the result is read from the space at the end.
"""

from collections.abc import Generator
from contextlib import closing, contextmanager
from functools import partial

import msgspec

from agents.ledger import Ledger
from agents.metered import unknown_price
from agents.models.base import UnknownPrice
from agents.prices import PriceTable
from agents.spans import CallSpans, SpansUnavailable, open_spans
from evolution.config import read_record
from evolution.errors import RunUsageError
from evolution.events import Event, Notice, Observer
from evolution.forecast import Forecast
from evolution.interrupts import run_interruptible
from evolution.limits import open_ledger
from evolution.marks import RunMarks
from evolution.opening import is_finished, reading, working
from evolution.retention import drop_traces
from evolution.run import play
from evolution.spending import compared, spending
from evolution.terms import Terms, read_terms, write_terms
from transfer_experiment.crew import at_work
from transfer_experiment.options import PairOptions
from transfer_experiment.outlook import forecast_pair
from transfer_experiment.result import PairResult, compose, read_result, write_summary
from transfer_experiment.setup import Setup, assemble, choose_sandbox, record_of, set_up


def run_pair(options: PairOptions, observer: Observer) -> PairResult:
    """Play a paired run to its end, from wherever it is.

    Raises:
        RunUsageError: The options do not fit together, or not with the folder's run.
        DomainError: The domain or its data cannot be used.
        ModelError: A model name is unknown or its endpoint does not answer.
        SandboxUnavailable: There is no sandbox that may run these models.
        RunHeld: Another coordinator works on this run.
        UnknownPrice: Money is limited and the price of a model is not known.
        RunPaused: A model went down, or a limit is reached; the same command goes on.
    """
    setup = set_up(options, observer)
    was_finished = is_finished(setup.folder, setup.config)
    if not was_finished:
        run_interruptible(partial(_play, setup, observer))
    _drop_traces(setup)
    return read_result(setup.folder, setup.config, was_finished=was_finished)


def dry_run(options: PairOptions) -> Forecast:
    """Forecast a paired run; asks no model and writes nothing.

    Raises:
        RunUsageError: The options do not fit together.
        PriceTableError: The person's prices cannot be read.
        UnknownPrice: Money is limited and the price of a model is not known.
    """
    setup = set_up(options, _nobody)
    terms = _terms(setup)
    found = _forecast(setup, terms.table())
    if terms.need_prices and found.unpriced:
        raise UnknownPrice(unknown_price(found.unpriced[0]))
    return found


def _nobody(_event: Event) -> None:
    """Observes a forecast, in which nothing happens."""


async def _play(setup: Setup, observer: Observer) -> None:
    choice = choose_sandbox(setup)
    if choice.notice:
        observer(Notice(choice.notice))
    record = record_of(setup, choice.sandbox)
    terms = _terms(setup)
    prices = terms.table()
    async with at_work(setup.crew, prices if terms.need_prices else None):
        with working(setup.folder, record) as (marks, heartbeat), _spans(setup) as spans:
            write_terms(setup.folder.terms, terms)
            with open_ledger(setup.folder.ledger, terms.limits) as ledger:
                team = assemble(setup, marks, ledger, prices, choice.sandbox, observer)
                team = msgspec.structs.replace(team, spans=spans)
                conclude = partial(_conclude, setup, marks, ledger, prices)
                await play(team, heartbeat, conclude)


def _conclude(setup: Setup, marks: RunMarks, ledger: Ledger, prices: PriceTable) -> None:
    """Write the summary, with what the run took beside what was forecast."""
    result = compose(setup.folder, setup.config, marks)
    took = {
        "spending": spending(ledger),
        "forecast": compared(_forecast(setup, prices), ledger, result.seconds),
    }
    write_summary(setup.folder, result, marks, took)


def _drop_traces(setup: Setup) -> None:
    """Keep of a finished run's traces what its record says; again, if a kill came between."""
    keep = read_record(setup.folder.record).keep_traces
    if keep != "all":
        with reading(setup.folder, setup.config) as marks:
            drop_traces(setup.folder, marks, setup.config.agents, keep)


def _terms(setup: Setup) -> Terms:
    return setup.options.terms.over(read_terms(setup.folder.terms))


def _forecast(setup: Setup, prices: PriceTable) -> Forecast:
    config = setup.config
    return forecast_pair(
        setup.crew, setup.domain, config.agents, config.generations, prices, setup.initial
    )


@contextmanager
def _spans(setup: Setup) -> Generator[CallSpans | None]:
    if not setup.options.otel:
        yield None
        return
    try:
        spans = open_spans(f"{setup.folder.root.parent.name}/{setup.folder.root.name}")
    except SpansUnavailable as error:
        raise RunUsageError(str(error)) from error
    with closing(spans):
        yield spans
