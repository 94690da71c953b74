"""A research run from its start, or from wherever it was left, to its end."""

import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial

import anyio
import msgspec

from hyperspace.executor.base import Executor
from hyperspace.executor.choose import elsewhere
from hyperspace.executor.journal import Journal
from hyperspace.executor.local.backend import LocalBackend
from hyperspace.executor.names import LOCAL
from hyperspace.executor.queue import queued
from hyperspace.executor.resources import Resources
from hyperspace.kernel.errors import RunPaused
from hyperspace.kernel.exception_groups import unwrap_single_error
from hyperspace.kernel.files import write_atomically
from hyperspace.kernel.run.limits import keep_time
from hyperspace.kernel.state.rng import derive_seed
from hyperspace.messages import CallKey
from hyperspace.models.base import Model
from hyperspace.research.environments.repository import Environment, tree_sha256
from hyperspace.research.errors import EnvironmentUnusable
from hyperspace.research.jobs.candidate import apply_diff
from hyperspace.research.jobs.scoring import (
    ScoredCandidate,
    ScoredJob,
    forget_candidate,
    judge_held_out,
    score_candidate,
)
from hyperspace.research.loop.folder import ResearchFolder
from hyperspace.research.loop.ideating import IdeaDialogue, Proposal, have_idea
from hyperspace.research.loop.records import (
    BASELINE,
    ClosedIdea,
    HeldOut,
    IdeaManifest,
    ResearchConfig,
)
from hyperspace.research.loop.schedule import Assignment, plan_epoch, ranked
from hyperspace.research.loop.sharing import IdeasShown, ideas_shown
from hyperspace.research.loop.space import OpenedResearch
from hyperspace.research.loop.under_way import IdeaProgress, UnderWayFile
from hyperspace.research.loop.views import write_views
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_lines import Account
from hyperspace.spending.metered import Payer, paying
from hyperspace.spending.prices import PriceTable
from hyperspace.tracing.calls import CallRecord, call_id, sealed_call
from hyperspace.tracing.traces import Recorder, Served, merge_traces

_AHEAD = 2  # ideas under way for each slot: models answer while jobs run
_LOG_LINES = 20
LONGEST_LOG = 4_000  # characters in a closing mark; log.txt has more


class ResearchContext(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays what.

    Attributes:
        environment: What is trained.
        config: What decides the result.
        folder: Where the run lies.
        models: One for each author, in turn order.
        opened: Its space.
        ledger: What calls cost.
        prices: What models cost.
        slots: Jobs at the same time.
        executor: Where they are played, by name.
        tell: Told a line of each idea that is closed.
        under_way: Shows what is not closed yet.
        served: Returns the calls of an idea that need not be made again; None takes those of
            attempts before.
        before: Other runs of this person's, whose jobs need not be played again.
    """

    environment: Environment
    config: ResearchConfig
    folder: ResearchFolder
    models: tuple[Model, ...]
    opened: OpenedResearch
    ledger: Ledger
    prices: PriceTable
    slots: int
    tell: Callable[[str], None]
    under_way: UnderWayFile
    served: Callable[[int], Served] | None = None
    executor: str = LOCAL
    before: Sequence[ResearchFolder] = ()


async def play_research(context: ResearchContext) -> None:
    """Play a run to its end, from wherever it is.

    Raises:
        EnvironmentUnusable: The repository as it is cannot be trained and judged.
        RunPaused: A model is down, a limit is reached, or machines lost a job; the same command
            goes on.
        ExecutorError: There is no cluster, or none that can do what is asked for.
        RunHeld: The lease was lost to another coordinator.
    """
    heartbeat = context.opened.heartbeat
    with heartbeat.told_first(), unwrap_single_error():
        async with _slots(context) as executor, anyio.create_task_group() as tasks:
            tasks.start_soon(heartbeat.keep)
            tasks.start_soon(keep_time, context.ledger)
            tasks.start_soon(context.under_way.keep)
            await _play_epochs(context, executor)
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def _slots(context: ResearchContext) -> AsyncGenerator[Executor]:
    journal = Journal(context.folder.jobs, [folder.jobs for folder in context.before])
    if context.executor == LOCAL:
        data = {folder.sha256: folder.path for folder in context.environment.data.values()}
        backend = LocalBackend(lambda _: context.folder.root, {"PATH": os.defpath}, data)
        opened = queued(backend, context.slots, journal)
    else:
        table = context.environment.description.table
        needs = Resources(gpus=max(table.job.gpus or 0, table.evaluation.gpus or 0))
        opened = elsewhere(context.executor, context.slots, needs, journal)
    async with opened as executor:
        yield executor
    if journal.taken:
        context.tell(f"{journal.taken} jobs were on record of other runs of this set")


async def _play_epochs(context: ResearchContext, executor: Executor) -> None:
    closed = context.opened.space.closed()
    if BASELINE not in closed:
        await _score_baseline(context, executor)
        closed = context.opened.space.closed()
    for epoch in range(context.config.epochs):
        earlier = {n: idea for n, idea in closed.items() if idea.manifest.epoch < epoch}
        earlier[BASELINE] = closed[BASELINE]
        shown = ideas_shown(context.config, epoch, earlier)
        plan = plan_epoch(context.config, epoch, shown, context.environment.description)
        room = anyio.Semaphore(_AHEAD * context.slots)
        async with anyio.create_task_group() as tasks:
            for assignment in plan:
                if assignment.number not in closed:
                    ideas = shown[context.config.author(assignment.number)]
                    tasks.start_soon(_pursue, context, executor, assignment, ideas, room)
        closed = context.opened.space.closed()
        write_views(context.folder, closed, context.environment.description.table.evaluation.goal)
    if context.environment.held_out and context.opened.space.held_out() is None:
        await _judge_held_out(context, executor, closed)


async def _judge_held_out(
    context: ResearchContext, executor: Executor, closed: Mapping[int, ClosedIdea]
) -> None:
    """Judge the winner and the repository as it is on what the search never saw, and close it.

    Raises:
        RunPaused: Machines have lost a job, or data was changed.
    """
    evaluation = context.environment.description.table.evaluation
    winner = ranked(closed, evaluation.goal)[0].number
    jobs = {
        number: await _held_out_job(context, executor, closed[number])
        for number in dict.fromkeys((BASELINE, winner))
    }
    reasons = [f"idea {number}: {job.reason}" for number, job in jobs.items() if job.reason]
    result = HeldOut(
        idea=winner,
        score=jobs[winner].score,
        baseline=jobs[BASELINE].score,
        reason="; ".join(reasons),
    )
    context.opened.writer.close_search(result, context.config.epochs)
    context.tell(
        f"held out, judged once: {evaluation.metric} {result.baseline} as it is, {result.score} by "
        f"idea {winner}{f' ({result.reason})' if reasons else ''}"
    )


async def _held_out_job(
    context: ResearchContext, executor: Executor, idea: ClosedIdea
) -> ScoredJob:
    environment, sandbox = context.environment, context.config.sandbox
    files = apply_diff(environment, idea.diff) if idea.diff else environment.files
    _require_data(environment)
    trained = await score_candidate(environment, files, executor, sandbox)  # it is on record
    job = trained.job
    if job.score is not None:
        job = await judge_held_out(environment, trained, executor, sandbox)
    try:
        _require_data(environment)
    except RunPaused:  # its jobs may have read what was changed meanwhile
        forget_candidate(environment, files, trained, executor, sandbox)
        raise
    return _not_lost(job)


async def _score_baseline(context: ResearchContext, executor: Executor) -> None:
    environment = context.environment
    assignment = Assignment(BASELINE, 0, "baseline")
    progress = context.under_way.begin(assignment, "baseline")
    result = await _score(context, executor, environment.files, progress)
    if result.job.score is None:
        end = "\n".join(result.job.log.splitlines()[-_LOG_LINES:])
        raise EnvironmentUnusable(
            f"{environment.description.config}: the repository as it is has no score "
            f"({result.job.reason}); nothing can be better than that\n{end}\n"
            f"{result.job.judged}".rstrip()
        )
    proposal = Proposal("the repository as it is", files=environment.files)
    _close(context, assignment, proposal, result, [])


async def _pursue(
    context: ResearchContext,
    executor: Executor,
    assignment: Assignment,
    earlier: IdeasShown,
    room: anyio.Semaphore,
) -> None:
    """Have one idea, train it, and close it."""
    async with room:
        calls: list[CallRecord] = []
        progress = context.under_way.begin(assignment, f"idea {assignment.number}")
        proposal = await _propose(context, assignment, earlier, calls)
        result = ScoredCandidate(ScoredJob(state="failed"))
        if proposal.files is not None:
            result = await _score(context, executor, proposal.files, progress)
        _close(context, assignment, proposal, result, calls)


async def _score(
    context: ResearchContext, executor: Executor, files: Mapping[str, bytes], progress: IdeaProgress
) -> ScoredCandidate:
    """Train a repository and judge what it leaves.

    Raises:
        RunPaused: Machines have lost one of its jobs, which says nothing of the idea, or data was
            changed.
    """
    sandbox, callbacks = context.config.sandbox, progress.callbacks()
    _require_data(context.environment)
    result = await score_candidate(context.environment, files, executor, sandbox, callbacks)
    try:
        _require_data(context.environment)
    except RunPaused:  # its jobs may have read what was changed meanwhile
        forget_candidate(context.environment, files, result, executor, sandbox)
        raise
    _not_lost(result.job)
    return result


def _not_lost(job: ScoredJob) -> ScoredJob:
    if job.state == "lost":
        raise RunPaused(f"a job was lost: {job.reason}; nothing else is, the same command goes on")
    return job


def _require_data(environment: Environment) -> None:
    for name, folder in environment.data.items():
        if not folder.is_as_it_was():
            raise RunPaused(
                f"--data {name}={folder.path} was changed since the start, which counts as other "
                "data; put it back as it was, and the same command goes on"
            )


async def _propose(
    context: ResearchContext,
    assignment: Assignment,
    earlier: IdeasShown,
    calls: list[CallRecord],
) -> Proposal:
    folder, config, number = context.folder, context.config, assignment.number
    folder.idea(number).mkdir(parents=True, exist_ok=True)
    folder.set_trace_aside(number)
    served = context.served
    recorded = merge_traces(folder.earlier_traces(number)) if served is None else served(number)
    paid = partial(_paying, context, assignment)
    parent = context.environment.files
    if assignment.parent != BASELINE:
        parent = apply_diff(context.environment, earlier[assignment.parent].diff)
    with Recorder(folder.trace(number), recorded, calls.append, paid) as recorder:
        model = context.models[(number - 1) % len(context.models)]
        seed = derive_seed(config.seed, "model", number)
        conversation = IdeaDialogue(model, recorder, number, seed)
        return await have_idea(
            context.environment, assignment, parent, earlier, conversation, config.repairs
        )


def _paying(
    context: ResearchContext, assignment: Assignment, key: CallKey
) -> AbstractContextManager[None]:
    author = context.config.author(assignment.number)
    account = Account(author, assignment.epoch, key.purpose, call_id(key))
    return paying(Payer(context.ledger, context.prices, account))


def _close(
    context: ResearchContext,
    assignment: Assignment,
    proposal: Proposal,
    result: ScoredCandidate,
    calls: list[CallRecord],
) -> None:
    """Write what an idea came to: its files first, then its marks in one transaction."""
    job, number = result.job, assignment.number
    is_refused = proposal.files is None
    manifest = IdeaManifest(
        number=number,
        epoch=assignment.epoch,
        author="" if number == BASELINE else context.config.author(number),
        kind=assignment.kind,
        parent=assignment.parent,
        shown=assignment.shown,
        gates=tuple(each.gate for each in proposal.tries),
        tree_sha256="" if proposal.files is None else tree_sha256(proposal.files),
        state="refused" if is_refused else job.state,
        score=job.score,
        calls=tuple(sealed_call(call) for call in calls),
    )
    idea = ClosedIdea(
        manifest=manifest,
        text=proposal.text,
        diff=proposal.diff,
        tries=proposal.tries,
        reason=proposal.reason if is_refused else job.reason,
        artefacts=job.artefacts,
        log=job.log[-LONGEST_LOG:],
        judged=job.judged,
        cpu_s=job.cpu_s,
        cpu_by=job.cpu_by,
    )
    _write_files(context.folder, idea, job.log, result.files)
    context.opened.writer.close(idea)
    context.under_way.end(number)
    context.tell(_line(context, idea))


def _write_files(
    folder: ResearchFolder, idea: ClosedIdea, log: str, artefacts: Mapping[str, bytes]
) -> None:
    """Write what people look at: words, diff and log of an idea, and artefacts by their hash."""
    own = folder.idea(idea.number)
    for path in (own, folder.artefacts):
        path.mkdir(parents=True, exist_ok=True)
    for name, text in (("idea.md", idea.text), ("change.diff", idea.diff), ("log.txt", log)):
        write_atomically(own / name, text.encode())
    for path, data in artefacts.items():
        kept = folder.artefacts / idea.artefacts[path]
        if not kept.exists():
            write_atomically(kept, data)


def _line(context: ResearchContext, idea: ClosedIdea) -> str:
    manifest, evaluation = idea.manifest, context.environment.description.table.evaluation
    result = f"{evaluation.metric} {idea.score}" if idea.score is not None else idea.reason
    result += f" ({idea.judged})" if idea.judged else ""
    if manifest.number == BASELINE:
        return f"the repository as it is: {result}"
    total = context.config.epochs * context.config.ideas
    return (
        f"idea {manifest.number} of {total} (epoch {manifest.epoch}, {manifest.kind}, "
        f"{context.config.model(manifest.number)}): {manifest.state}, {result}"
    )
