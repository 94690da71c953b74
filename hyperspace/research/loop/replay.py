"""A research run made again from its record, asking nobody.

Models and diffs come from the traces; jobs from the record by their content, so that what is
trained again is only what is not on it.
"""

import shutil
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import msgspec

from hyperspace.kernel.errors import ForeignRun, RunDamaged, RunUsageError
from hyperspace.kernel.run.interrupts import run_interruptible
from hyperspace.kernel.run.limits import open_ledger
from hyperspace.kernel.state.copies import copy_told, is_known
from hyperspace.research.environments.registry import find_environment
from hyperspace.research.environments.repository import Environment
from hyperspace.research.loop.folder import RECORD, ResearchFolder
from hyperspace.research.loop.play import ResearchContext, play_research
from hyperspace.research.loop.records import ResearchConfig
from hyperspace.research.loop.resuming import deeds
from hyperspace.research.loop.run import Tell, read_research_record
from hyperspace.research.loop.space import reading_from, working_in
from hyperspace.research.loop.under_way import UnderWayFile
from hyperspace.spending.budget import SpendingLimits
from hyperspace.spending.prices import read_prices
from hyperspace.tracing.replaying import Difference, Playback, RecordedModel, ReplayStopped
from hyperspace.tracing.traces import Served, read_trace


class ResearchReplay(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a replay.

    Attributes:
        run: The recorded run's folder.
        same: Whether it ended with the recorded digest.
        recorded_digest: The recorded run's digest.
        digest: The replay's.
        closed: How many ideas the record holds, the baseline included.
        jobs: Whose word counts on jobs.
        difference: Where it left the record; None if it never did.
    """

    run: str
    same: bool
    recorded_digest: str
    digest: str
    closed: int
    jobs: str
    difference: Difference | None


def replay_research(
    run: Path,
    tell: Tell,
    *,
    live_jobs: bool = False,
    trust: bool = False,
    data: Mapping[str, Path] | None = None,
) -> ResearchReplay:
    """Make a research run again in a temporary folder.

    Args:
        run: Its folder.
        tell: Told a line of each idea.
        live_jobs: Whether jobs are played again, in place of taken from the record.
        trust: Whether the person trusts who made it; also with recorded jobs those are played that
            the record lacks.
        data: Where folders that jobs read lie now, by name; others lie where they did.

    Raises:
        ForeignRun: Somebody else began it; says what a replay would do.
        RunUsageError: There is no run, or its environment is another by now.
        RunDamaged: It is not finished.
        SandboxUnavailable: The recorded kind of sandbox does not work here.
    """
    record = read_research_record(run).with_data(data or {})
    config, folder = record.configuration, ResearchFolder(run)
    if not (trust or is_known(run, RECORD)):
        raise ForeignRun(str(run), deeds(record), copy_told(run))
    env_config = None if record.env_config is None else Path(record.env_config)
    environment = find_environment(record.env, env_config, record.scale, record.folders)
    if environment.sha256 != config.environment_sha256:
        raise RunUsageError(
            f"{record.env} is not what {run} was made with: its repository, evaluation, env.toml "
            "or data was changed; put it back as it was"
        )
    with reading_from(folder.space, config) as space:
        recorded, held_out, recorded_digest = space.closed(), space.held_out(), space.digest()
    is_judged = held_out is not None or not environment.held_out
    if len(recorded) < 1 + config.epochs * config.ideas or not is_judged:
        raise RunDamaged(f"{run} is not finished; the command that began it goes on with it")
    with tempfile.TemporaryDirectory(prefix="hyperspace-replay-") as scratch:
        place = ResearchFolder(Path(scratch) / "run")
        place.root.mkdir()
        if not live_jobs:
            shutil.copyfile(folder.jobs, place.jobs)
        difference = _play(environment, config, folder, place, tell)
        with reading_from(place.space, config) as space:
            digest = space.digest()
    return ResearchReplay(
        run=str(run),
        same=difference is None and recorded_digest == digest,
        recorded_digest=recorded_digest,
        digest=digest,
        closed=len(recorded),
        jobs="live" if live_jobs else "recorded",
        difference=difference,
    )


def _play(
    environment: Environment,
    config: ResearchConfig,
    recorded: ResearchFolder,
    place: ResearchFolder,
    tell: Tell,
) -> Difference | None:
    """Play in a folder; where the record was left is returned, not raised."""
    with (
        working_in(place.space, config) as opened,
        open_ledger(place.ledger, SpendingLimits()) as ledger,
    ):
        context = ResearchContext(
            environment=environment,
            config=config,
            folder=place,
            models=tuple(map(RecordedModel, config.models)),
            opened=opened,
            ledger=ledger,
            prices=read_prices(None),
            slots=1,
            tell=tell,
            under_way=UnderWayFile(place.now),
            served=partial(_served, recorded, config),
        )
        try:
            run_interruptible(partial(play_research, context))
        except ReplayStopped as stopped:
            return stopped.difference
    return None


def _served(recorded: ResearchFolder, config: ResearchConfig, number: int) -> Served:
    return Playback(config.author(number), number, read_trace(recorded.trace(number)))
