"""`hyperspace research`: a run that options name is begun, gone on with, or found finished."""

from collections.abc import Callable, Collection, Generator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from guards.parsing import decode_json
from guards.sandboxes.cards import require_card
from guards.sandboxes.choose import Choice, choose
from guards.sandboxes.data_folders import data_binds
from guards.sandboxes.packages import require_packages
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.executor.names import LOCAL
from hyperspace.kernel.errors import ConfigMismatch, RunUsageError
from hyperspace.kernel.files import pretty_json, write_atomically, written_name
from hyperspace.kernel.generation.run_context import run_label
from hyperspace.kernel.run.interrupts import run_interruptible
from hyperspace.kernel.run.leftovers import held
from hyperspace.kernel.run.limits import open_ledger
from hyperspace.kernel.state.copies import signing_state, take_back
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.ownership import SIGNATURE, enter, sign
from hyperspace.kernel.state.provenance import versions
from hyperspace.kernel.state.terms import read_terms, terms_in_force
from hyperspace.launch.run_models import RunModels, at_work, resolve_models
from hyperspace.launch.trust import terms_before
from hyperspace.models.policy.retrying import Patience
from hyperspace.research.environments.registry import find_environment, names
from hyperspace.research.environments.repository import Environment
from hyperspace.research.loop.folder import RECORD, ResearchFolder
from hyperspace.research.loop.options import ResearchOptions
from hyperspace.research.loop.play import ResearchContext, play_research
from hyperspace.research.loop.records import FORMAT, ResearchConfig, ResearchRecord
from hyperspace.research.loop.space import reading_from, working_in
from hyperspace.research.loop.under_way import UnderWayFile
from hyperspace.research.loop.views import summary_fields, write_views
from hyperspace.wall_clock import utc_now

Tell = Callable[[str], None]


class ResearchSetup(msgspec.Struct, frozen=True):
    """A run, ready to be played.

    Attributes:
        options: As asked for.
        environment: What is trained.
        config: What decides the result.
        folder: Where it lies.
        models: Who has ideas.
        choice: Where jobs run.
        is_foreign: Whether somebody else began it, whom the person trusts.
        before: Other runs of this person's, whose jobs need not be played again.
    """

    options: ResearchOptions
    environment: Environment
    config: ResearchConfig
    folder: ResearchFolder
    models: RunModels
    choice: Choice
    is_foreign: bool = False
    before: Sequence[ResearchFolder] = ()


def run_set(every: Sequence[ResearchOptions], tell: Tell) -> Generator[dict[str, Any]]:
    """Play research runs one after another, each to its end, from wherever it is.

    What one has trained is not trained again by the next, if versions are the same. On graphics
    cards equal trainings need not end alike, and each run has its own.

    Yields:
        The fields of each one's summary.json, when it is finished.

    Raises:
        EnvironmentUnusable: The environment cannot be used.
        RunUsageError: The options do not fit together, or not with the folder's run.
        ModelError: A model name is unknown or its endpoint does not answer.
        SandboxUnavailable: There is no sandbox that is a boundary, or none with the packages or
            the graphics card that the environment needs.
        RunHeld: Another coordinator works on this run.
        RunPaused: A model went down, or a limit is reached; the same command goes on.
    """
    before: tuple[ResearchFolder, ...] = ()
    for options in every:
        setup = msgspec.structs.replace(set_up(options, tell), before=before)
        _settle_record(setup)
        yield play_setup(setup, tell)
        if _counts_for_others(setup):
            before += (setup.folder,)


def _counts_for_others(setup: ResearchSetup) -> bool:
    needs = setup.environment.description.table
    if needs.job.gpus or needs.evaluation.gpus:
        return False
    return read_research_record(setup.folder.root).versions == versions()


def play_setup(setup: ResearchSetup, tell: Tell) -> dict[str, Any]:
    """Play a run whose record is settled; see `run_set`."""
    with signing_state(setup.folder.root, RECORD):
        run_interruptible(partial(_play, setup, tell))
        return _concluded(setup)


def _concluded(setup: ResearchSetup) -> dict[str, Any]:
    with open_ledger(setup.folder.ledger, read_terms(setup.folder.terms).limits) as ledger:
        with reading_from(setup.folder.space, setup.config) as space:
            closed, held_out = space.closed(), space.held_out()
            head = space.space.audit_head()
        description = setup.environment.description
        write_views(setup.folder, closed, description.table.evaluation.goal)
        fields = summary_fields(setup.folder, setup.config, closed, held_out, description, ledger)
        fields["audit_head"] = head
    write_atomically(setup.folder.summary, pretty_json(fields))
    return fields


def set_up(
    options: ResearchOptions, tell: Tell, keys_to: Collection[str] | None = None
) -> ResearchSetup:
    """Find everything that the options name; touches no file of the run.

    Args:
        options: As asked for.
        tell: Told what models that fail are waited for.
        keys_to: The addresses in models' names that a key is sent to; None for all of them.

    Raises:
        EnvironmentUnusable, RunUsageError, ModelError, SandboxUnavailable: See `run_set`.
    """
    if options.data and options.executor != LOCAL:
        raise RunUsageError(
            "--data names folders of this machine, which nodes of a cluster do not have; leave "
            "--executor out"
        )
    environment = find_environment(options.env, options.env_config, options.scale, options.data)
    choice = choose(options.sandbox, needs_boundary=True)
    if not choice.sandbox.is_boundary:
        raise RunUsageError(
            f"--sandbox {options.sandbox} confines nothing, and jobs run code that nobody has "
            "read; use bubblewrap or docker"
        )
    if options.executor == LOCAL:  # nodes of a cluster are asked when a job is played there
        _require_needs(environment, choice.sandbox.name)
    epochs, ideas, is_control = options.epochs, options.ideas, options.arm == "best_of_n"
    if is_control:
        epochs, ideas = 1, epochs * ideas
    config = ResearchConfig(
        environment=environment.name,
        environment_sha256=environment.sha256,
        models=options.models,
        epochs=epochs,
        ideas=ideas,
        explore=None if is_control else options.explore,
        repairs=options.repairs,
        seed=options.seed,
        sandbox=choice.sandbox.name,
        arm=options.arm,
    )
    patience = Patience(outage_s=60 * options.outage_minutes, tell=tell)
    models = resolve_models(options.models, None, patience, keys_to)
    place = Path(environment.name) / config.arm / f"seed{config.seed}"
    folder = ResearchFolder(options.results / place)
    return ResearchSetup(options, environment, config, folder, models, choice)


def _require_needs(environment: Environment, sandbox: str) -> None:
    table = environment.description.table
    data_binds({name: folder.path for name, folder in environment.data.items()})
    for needs in (table.job, table.evaluation):
        require_packages(sandbox, needs.packages or ())
        if needs.gpus:
            require_card(sandbox)


def read_research_record(root: Path) -> ResearchRecord:
    """Read research.json of a run's folder, before anything else of it is read.

    Raises:
        RunUsageError: There is none that this version can read; or the folder, which somebody else
            made, holds links, pipes, or files that are larger than any of a run.
    """
    enter(root, record_name=RECORD)
    path = root / RECORD
    try:
        record = decode_json(read_whole(path), ResearchRecord)
    except (Unreadable, msgspec.MsgspecError) as error:
        raise RunUsageError(f"{path} is no record of a research run: {error}") from error
    if record.format != FORMAT:
        raise RunUsageError(f"{path} has format {record.format}, and this version reads {FORMAT}")
    return record


def recorded_digest(root: Path) -> str:
    """Return the digest of a run's folder, finished or not.

    Raises:
        RunUsageError: It holds no research run that this version can read.
    """
    config = read_research_record(root).configuration
    with reading_from(ResearchFolder(root).space, config) as space:
        return space.digest()


def _settle_record(setup: ResearchSetup) -> None:
    """Write research.json of a new run; of one that is there, check that it is this one."""
    folder, config, options = setup.folder, setup.config, setup.options
    if not folder.record.exists():
        # A start may have been killed between the signature and the record.
        if folder.root.exists() and {path.name for path in folder.root.iterdir()} - {SIGNATURE}:
            raise RunUsageError(
                f"{folder.root} is not empty and holds no research run; "
                "use another --results folder"
            )
        folder.root.mkdir(parents=True, exist_ok=True)
        env_config = options.env_config
        evaluation = setup.environment.description.table.evaluation
        record = ResearchRecord(
            format=FORMAT,
            configuration=config,
            env=options.env if options.env in names() else str(Path(options.env).resolve()),
            env_config=None if env_config is None else str(env_config.resolve()),
            scale=options.scale,
            data={name: str(path.resolve()) for name, path in options.data.items()},
            command=tuple(map(written_name, options.command)),
            started_utc=utc_now(),
            versions=versions(),
            metric=evaluation.metric,
            goal=evaluation.goal,
            slots=options.slots,
            has_held_out=bool(setup.environment.held_out),
        )
        data = pretty_json(record)
        sign(folder.root, data)
        write_atomically(folder.record, data)
        return
    if not take_back(folder.root, RECORD):
        raise RunUsageError(
            f"{folder.root} was not begun by you here, and what it says of jobs would count as "
            "true; begin a run of your own with another --results folder"
        )
    require_same(folder.root, read_research_record(folder.root).configuration, config)


def require_same(root: Path, earlier: ResearchConfig, config: ResearchConfig) -> None:
    """Check that a folder's run is the one that is to be played.

    Raises:
        RunUsageError: Its environment is another by now.
        ConfigMismatch: It is another one; names what differs.
    """
    if earlier.environment_sha256 != config.environment_sha256:
        raise RunUsageError(
            f"{root} holds a run of {earlier.environment} as it was: its repository, evaluation, "
            "env.toml or data is another now; put it back, or use another --results folder"
        )
    for name in ResearchConfig.__struct_fields__:
        if getattr(earlier, name) != getattr(config, name):
            recorded, requested = getattr(earlier, name), getattr(config, name)
            raise ConfigMismatch(str(root), name, recorded, requested)


async def _play(setup: ResearchSetup, tell: Tell) -> None:
    folder, models = setup.folder, setup.models
    before = terms_before(RunFolder(folder.root), foreign=setup.is_foreign)
    terms = terms_in_force(setup.options.terms, before)
    prices = terms.table()
    async with at_work(models, prices if terms.need_prices else None):
        with (
            working_in(folder.space, setup.config) as opened,
            open_ledger(folder.ledger, terms.limits) as ledger,
            held(run_label(folder.root), setup.choice.sandbox),
        ):
            write_atomically(folder.terms, pretty_json(terms))
            context = ResearchContext(
                environment=setup.environment,
                config=setup.config,
                folder=folder,
                models=models.models,
                opened=opened,
                ledger=ledger,
                prices=prices,
                slots=setup.options.slots,
                executor=setup.options.executor,
                tell=tell,
                under_way=UnderWayFile(folder.now),
                before=setup.before,
            )
            await play_research(context)
