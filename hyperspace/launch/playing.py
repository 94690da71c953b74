"""Playing a run that is set up to its end, and forecasting one that is not."""

from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from math import ceil
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec import UNSET

from guards.sandboxes.choose import recorded_name
from hyperspace.export.retention import drop_traces, record_dropped
from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.kernel.events import AgentJoined, Notice, Observer
from hyperspace.kernel.exception_groups import leaf_errors
from hyperspace.kernel.files import pretty_json, write_atomically
from hyperspace.kernel.run.ending import find_end
from hyperspace.kernel.run.integrity import is_intact
from hyperspace.kernel.run.interrupts import run_interruptible
from hyperspace.kernel.run.lanes import require_open_files
from hyperspace.kernel.run.limits import longest_ledger, open_ledger
from hyperspace.kernel.run.run import play
from hyperspace.kernel.run.steering import AgentForked
from hyperspace.kernel.state.anchor import anchor, check_anchor, check_chain
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.closings import count_closed, end_on_record
from hyperspace.kernel.state.config import is_extension, read_record, reopened
from hyperspace.kernel.state.digest import digest_in
from hyperspace.kernel.state.line_records import read_lines
from hyperspace.kernel.state.manifest import TEST, RunEnd
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import OpenedRun, is_finished, reading, working
from hyperspace.kernel.state.remote.kept_folder import folder_to_keep, restore_folder
from hyperspace.kernel.state.remote.place import has_space
from hyperspace.kernel.state.steering.marks import stopped_agents
from hyperspace.kernel.state.terms import EndTerms, Terms, terms_in_force
from hyperspace.launch.executors import where_items_are_asked
from hyperspace.launch.forecast import (
    Forecast,
    ForecastModel,
    Player,
    forecast,
    side_by_side,
    within_calls,
)
from hyperspace.launch.kept_task import NamedTask, keep_task
from hyperspace.launch.run_models import at_work
from hyperspace.launch.served_models import note_served, weights_of
from hyperspace.launch.server_outage import is_outage, wait_for_server
from hyperspace.launch.setup import Setup, assemble, choose_sandbox, record_of, set_up
from hyperspace.launch.sharing import made_for
from hyperspace.launch.start import keep_start, seed_code
from hyperspace.launch.taken import compared, passes_told, spending
from hyperspace.launch.trust import terms_before
from hyperspace.launch.validation_seen import validation_seen
from hyperspace.models.base import Model, PlacedModel, UnknownPrice, adapt
from hyperspace.models.request_fields import Adaptation
from hyperspace.options.option import scale
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.metered import unknown_price
from hyperspace.spending.prices import FREE, PriceTable
from hyperspace.summaries.best_code import keep_best
from hyperspace.summaries.outcome import agrees, write_run_summary
from hyperspace.tasks.shapes.documented import description_of
from hyperspace.tracing.spans import CallSpans, SpansUnavailable, open_spans


class RunResult(Protocol):
    """What a run came to."""

    def fields(self) -> dict[str, Any]:
        """The fields of its summary."""
        ...


R = TypeVar("R", bound=RunResult)
Conclude = Callable[[Setup, RunMarks], Mapping[str, Any]]
"""Returns what a run came to whose last generation is closed: fields of its summary, among them
`seconds`."""


_Took = Callable[[float], dict[str, Any]]
_OPTIONS: Final = {"target": "target-score", "patience": "patience"}


def play_to_result(
    setup: Setup, observer: Observer, compose: Callable[[Setup, RunMarks, bool], R]
) -> R:
    """Play a run to its end, from wherever it is, and read from its space what it came to.

    Args:
        setup: The run.
        observer: Told what happens.
        compose: Puts a result together from an open space, and from whether the run was found
            finished, so that no work was done.

    Raises:
        RunUsageError: The options do not fit with the folder's run.
        ModelError: An endpoint does not answer.
        SandboxUnavailable: There is no sandbox that may run these models.
        RunDamaged: The run that is there is not that of its heads.
        RunHeld: Another coordinator works on this run.
        UnknownPrice: Money is limited and the price of a model is not known.
        RunPaused: A model went down, or a limit is reached; the same command goes on.
    """
    folder = setup.folder
    with made_for(folder, group=setup.options.share_with_group):
        was_finished = _play_setup(
            setup, observer, lambda setup, marks: compose(setup, marks, False).fields()
        )
    config = read_record(folder.record).configuration  # agents may have joined, or it has an end
    setup = msgspec.structs.replace(setup, config=config)
    with reading(folder, config) as marks:
        result = compose(setup, marks, was_finished)
    if was_finished and not agrees(folder, result.fields()):
        observer(Notice(f"{folder.summary} is not what the run came to; it is made again"))
        folder.summary.unlink(missing_ok=True)
        with made_for(folder, group=setup.options.share_with_group):
            _play_setup(setup, observer, lambda _setup, _marks: result.fields())
    return result


def _play_setup(setup: Setup, observer: Observer, conclude: Conclude) -> bool:
    restore_folder(setup.folder, setup.config, recorded_name(setup.options.sandbox))
    _check_anchor(setup)
    require_open_files(setup.config.lanes, setup.options.eval_workers)
    was_finished = is_whole(setup)
    earlier = _extended(setup)
    if earlier is not None and (end := _end_in_force(earlier)) is not None:
        told = f"{end.sentence}; --{_OPTIONS[end.reason]} none goes on"
        observer(Notice(f"{setup.folder.root} has no more generations to come: {told}"))
        setup, earlier, was_finished = earlier, None, is_whole(earlier)
    if earlier is not None:
        if not is_whole(earlier):  # what cannot be made again is refused while it is finished
            _play_on(earlier, observer, conclude)
        _tell_extension(setup, earlier, observer)
    if not was_finished:
        _play_on(setup, observer, conclude)
    if _ended_by_other_terms(setup):
        told = "ended early, and test was looked at then; it goes on, and its result will be marked"
        observer(Notice(f"{setup.folder.root} {told} test_exposed"))
        setup = msgspec.structs.replace(setup, config=reopened(setup.config))
        _play_on(setup, observer, conclude)
        was_finished = False
    # Again where it was finished: a kill may have come between the end and this.
    record = read_record(setup.folder.record)  # agents may have joined
    with reading(setup.folder, record.configuration) as marks:
        if record.keep_traces != "all":
            drop_traces(setup.folder, marks, record.keep_traces)
        if was_finished:
            with suppress(OSError):  # a finished run may lie where nobody may write
                keep_best(setup.folder, marks, digest_in(marks))
    return was_finished


def is_whole(setup: Setup) -> bool:
    """Return whether a run is finished and its files are as they were closed.

    Raises:
        RunUsageError: The options do not fit with the folder's run.
        RunDamaged: The run was begun, and its space is lost.
    """
    if not is_finished(setup.folder, setup.config):
        return False
    with reading(setup.folder, setup.config) as marks:
        return is_intact(setup.folder, marks)


def _play_on(setup: Setup, observer: Observer, conclude: Conclude) -> None:
    """Play, and again with every agent that joins, and after an outage of the space's server."""
    while True:
        config = setup.config
        for fork in config.forks:
            last, model = config.member(fork.agent), config.models[config.agents.index(fork.agent)]
            observer(AgentJoined(fork.agent, model, last.generations))
        try:
            return run_interruptible(partial(_play, setup, observer, conclude))
        except Exception as error:  # of agents at their own pace, two may begin at once
            leaves = list(leaf_errors(error))
            if setup.folder.address is not None and is_outage(leaves):
                wait_for_server(setup.folder.address, setup.options.outage_minutes, observer)
            elif not all(isinstance(leaf, AgentForked) for leaf in leaves):
                raise
        setup = set_up(setup.options, observer)


def _extended(setup: Setup) -> Setup | None:
    """Return the setup of the finished run that is to go on with more generations, if it is one."""
    if not setup.folder.record.is_file():
        return None
    earlier = read_record(setup.folder.record).configuration
    if is_extension(earlier, setup.config) and is_finished(setup.folder, earlier):
        return msgspec.structs.replace(setup, config=earlier)
    return None


def _end_in_force(setup: Setup) -> RunEnd | None:
    """Return the end that a finished run has come to by the terms that are in force now."""
    terms = _terms(setup).end
    if terms == EndTerms():
        return None
    with reading(setup.folder, setup.config) as marks:
        return _end_by(terms, setup, marks)


def _ended_by_other_terms(setup: Setup) -> bool:
    """Return whether a finished run ended early by terms that are in force no more."""
    with reading(setup.folder, setup.config) as marks:
        closed = {agent: count_closed(marks, agent) for agent in marks.config.agents}
        if end_on_record(marks, sum(closed.values())) is None:
            return False
        stopped = stopped_agents(marks)
        members = {agent: marks.config.member(agent) for agent in closed}
        is_played = all(
            agent in stopped or closed[agent] > member.generations
            for agent, member in members.items()
        )
        return not is_played and _end_by(_terms(setup).end, setup, marks) is None


def _end_by(terms: EndTerms, setup: Setup, marks: RunMarks) -> RunEnd | None:
    archives = {agent: Archive(agent) for agent in marks.config.agents}
    for agent, archive in archives.items():
        for generation in range(count_closed(marks, agent)):
            archive.add(marks.closing(agent, generation).manifest)
    upwards = setup.domain.higher_is_better
    stopped = stopped_agents(marks)
    return find_end(terms, marks.config, archives, stopped, higher_is_better=upwards)


def _tell_extension(setup: Setup, before: Setup, observer: Observer) -> None:
    """Tell, before any work, that a run which goes on after its test is marked for it."""
    observer(
        Notice(
            f"{setup.folder.root} was finished at generation {before.config.generations}, and test "
            f"was looked at then; it goes on to generation {setup.config.generations}, and its "
            "result will be marked test_exposed"
        )
    )


def forecast_setup(setup: Setup) -> Forecast:
    """Forecast a run; asks no model and writes nothing.

    Raises:
        RunUsageError: Heads cannot be appended where they are to be.
        RunDamaged: The run that is there is not that of its heads.
        PriceTableError: The person's prices cannot be read.
        UnknownPrice: Money is limited and the price of a model is not known.
    """
    _check_anchor(setup)
    terms = _terms(setup)
    result = _forecast(setup, terms.table())
    if terms.need_prices and result.unpriced:
        raise UnknownPrice(unknown_price(result.unpriced[0]))
    return result


def _check_anchor(setup: Setup) -> None:
    """Check that heads can be appended, and are of the run that is there, if one is."""
    anchor_file, folder = setup.options.anchor, setup.folder
    if anchor_file is None:
        return
    check_anchor(anchor_file, folder.root)
    if folder.record.is_file() and has_space(folder):
        record = read_record(folder.record)
        with reading(folder, record.configuration) as marks:
            check_chain(anchor_file, record, marks.space)


def _forecast(setup: Setup, prices: PriceTable) -> Forecast:
    """Forecast a run.

    Args:
        setup: The run.
        prices: What models cost.
    """
    config, solo = setup.config, setup.config.solo
    annealing = None if solo is None else solo.annealing

    def candidates(generations: int) -> int:  # a tournament has two
        return generations + (0 if annealing is None else ceil(annealing.expected(generations)))

    players = [
        Player(
            who.name,
            _forecast_model(who.model, prices),
            _forecast_model(who.eval_model, prices),
            candidates(config.member(who.name).generations),
            diagnosed=solo is not None and bool(solo.diagnosis),
            reviewer=_forecast_model(setup.run_models.reviewer or who.model, prices)
            if solo is not None and solo.level == "feedback"
            else None,
            tests_each=solo is not None and solo.eval_test,
            times=scale(setup.options, "calls"),
            workers=scale(setup.options, "workers"),
        )
        for who in setup.run_models.participants(config.agents)
    ]
    code = seed_code(setup.domain, setup.initial, config)
    searching = solo or config.arena
    budget = UNSET if searching is None else searching.budget
    if budget is not UNSET:

        def searched(generations: int) -> Forecast:
            them = [player._replace(generations=generations) for player in players]
            return forecast(setup.domain, generations, them, code)

        tests = len(setup.domain.items(TEST)) * scale(setup.options, "calls")
        return within_calls(searched, budget, tests if setup.domain.calls_model else 0)
    run = forecast(setup.domain, config.generations, players, code)
    if not config.side_by_side:
        return run
    return side_by_side(run, config.lanes, children=config.solo is not None)


def _forecast_model(model: Model, prices: PriceTable) -> ForecastModel:
    is_free = model.offline or isinstance(model, PlacedModel)  # a recording's answers are paid
    return ForecastModel(model.name, FREE if is_free else prices.quote(model.name), is_free)


async def _play(setup: Setup, observer: Observer, conclude: Conclude) -> None:
    choice = choose_sandbox(setup)
    if choice.notice:
        observer(Notice(choice.notice))
    record = record_of(setup, choice.sandbox)
    terms = _terms(setup)
    prices = terms.table()
    async with at_work(setup.run_models, prices if terms.need_prices else None):
        with working(setup.folder, record) as opened, _spans(setup) as spans:
            keep_start(setup.folder, setup.initial)
            if told := keep_task(setup.folder, NamedTask(setup.options.domain, setup.options.data)):
                observer(Notice(told))
            for extension in setup.own:
                extension.keep()
            write_atomically(setup.folder.task, description_of(setup.domain).encode())
            write_atomically(setup.folder.terms, pretty_json(terms))
            run_place = setup.options.place(setup.domain)
            opened.writer.keep_folder(folder_to_keep(setup.folder, run_place))
            spent = longest_ledger(opened.marks)
            with open_ledger(setup.folder.ledger, terms.limits, spent, opened) as ledger:
                context = assemble(setup, opened, ledger, prices, choice.sandbox, observer)
                took = partial(_took, setup, opened.marks, ledger, prices)
                end = partial(_end, setup, opened, conclude, took)
                for told in note_served(setup.folder.served_models, setup.run_models.everyone):
                    context.tell_once(told)
                for adaptation in read_lines(setup.folder.adaptations, Adaptation):
                    for model in setup.run_models.everyone:
                        adapt(model, adaptation)
                async with where_items_are_asked(setup.options) as elsewhere:
                    context = msgspec.structs.replace(
                        context, spans=spans, elsewhere=elsewhere, end=terms.end
                    )
                    await play(context, opened.heartbeat, end)


def _end(setup: Setup, opened: OpenedRun, conclude: Conclude, took: _Took) -> None:
    record, marks = read_record(setup.folder.record), opened.marks
    fields = conclude(setup, marks)
    # Before the summary, which names the last head.
    keep, adoptions = record.keep_traces, fields.get("adoptions")
    record_dropped(setup.folder, marks, opened.writer, keep, adoptions)
    keep_best(setup.folder, marks, fields["digest"])
    write_run_summary(setup.folder, fields, marks, took(fields["seconds"]))
    if setup.options.anchor is not None:
        anchor(setup.options.anchor, record, "", "end", opened.marks.audit_head())


def _took(
    setup: Setup, marks: RunMarks, ledger: Ledger, prices: PriceTable, seconds: float
) -> dict[str, Any]:
    return {
        "spending": spending(ledger),
        "forecast": compared(_forecast(setup, prices), ledger, seconds),
        "weights": weights_of(setup.folder.served_models),
        **passes_told(marks),
        **validation_seen(setup.domain, marks),
    }


def _terms(setup: Setup) -> Terms:
    before = terms_before(setup.folder, foreign=setup.foreign)
    terms = terms_in_force(setup.options.terms, before)
    if setup.config.arena is not None and terms.end != EndTerms():
        raise RunUsageError(
            "an arena is over after its rounds: its scores are on another suite in each; leave out "
            "--target-score and --patience"
        )
    return terms


@contextmanager
def _spans(setup: Setup) -> Generator[CallSpans | None]:
    if not setup.options.otel:
        yield None
        return
    try:
        spans = open_spans(f"{setup.folder.root.parent.name}/{setup.folder.root.name}")
    except SpansUnavailable as error:
        raise RunError(str(error)) from error
    with closing(spans):
        yield spans
