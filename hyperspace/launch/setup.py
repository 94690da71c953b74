"""A run, ready to be played: what its options name, found and brought together."""

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from guards.sandboxes.choose import Choice, choose
from guards.sandboxes.sandbox import Sandbox
from hyperspace.extensions.order import extensions_of, rounds_of
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.evaluation.assess import has_outcomes, needs_judge
from hyperspace.kernel.evaluation.sampling import sampled
from hyperspace.kernel.events import Notice, Observer
from hyperspace.kernel.files import in_the_way
from hyperspace.kernel.generation.run_context import RunContext, run_label
from hyperspace.kernel.selection.fitness_in_sight import in_sight
from hyperspace.kernel.selection.named import selection_of
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.closings import ClosingOrder
from hyperspace.kernel.state.config import (
    EXTENSION_HASHES,
    RunConfig,
    RunRecord,
    going_on,
    read_record,
    with_options,
)
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import OpenedRun, new_record
from hyperspace.kernel.state.remote.kept_folder import kept_at
from hyperspace.kernel.state.remote.place import with_address
from hyperspace.kernel.state.steering.command_queue import CommandQueue
from hyperspace.kernel.views.run_logs import RunLogs
from hyperspace.launch.configuration import config_of, recorded
from hyperspace.launch.executors import check_executor
from hyperspace.launch.growing_replies import GrowingReplies
from hyperspace.launch.run_models import RunModels, resolve_models
from hyperspace.launch.start import (
    code_sha256,
    kept_start,
    runtime_of,
    seed_code,
    starting_code,
)
from hyperspace.launch.trust import (
    addresses,
    admit,
    admit_named,
    load_domain,
    refuse_unconfined,
    require_use_of_keys,
    without_keys,
)
from hyperspace.models.policy.retrying import Patience
from hyperspace.options.launch import LaunchOptions
from hyperspace.options.solo import SoloTerms
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.prices import PriceTable
from hyperspace.tasks.base import Domain, DomainDataError, leaf_of
from hyperspace.tasks.contract import unplayable
from hyperspace.tasks.registry import files_sha256, is_built_in
from hyperspace.tasks.shapes.cases import HasOracle
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.three_files.domain import brings_code
from hyperspace.tracing.cache import ReplyCache
from hyperspace.workspace.seed_agent import SHOWN
from hyperspace.workspace.seed_code import runtime_files, seed_of_tester

if TYPE_CHECKING:
    from hyperspace.extensions.own import OwnExtension


class Setup(msgspec.Struct, frozen=True):
    """A run, ready to be played.

    Attributes:
        options: As asked for.
        config: What decides the result.
        folder: Where it lies.
        domain: The task.
        run_models: The models.
        initial: Code that replaces the seed's, path to text.
        foreign: Whether somebody else began the run, and is trusted.
        own: Extensions of the person's own.
    """

    options: LaunchOptions
    config: RunConfig
    folder: RunFolder
    domain: Domain
    run_models: RunModels
    initial: dict[str, str]
    foreign: bool = False
    own: "tuple[OwnExtension, ...]" = ()


def set_up(options: LaunchOptions, observer: Observer, *, connect: bool = True) -> Setup:
    """Find everything that the options name; touches no file of the run.

    Args:
        options: As asked for.
        observer: Told when a provider keeps failing, and where no key is sent.
        connect: Whether models are to be asked; a forecast needs no key.

    Raises:
        ForeignRun: Somebody else began the run that is there, and is not trusted.
        RunUsageError: The options do not fit together.
        DomainError: The domain or its data cannot be used.
        ModelError: A model name is unknown, or its key is missing.
    """
    _check_cache(options)
    check_executor(options)
    foreign = admit_named(options)
    if foreign:
        # A folder that a record of somebody else names is none to write into.
        options = msgspec.structs.replace(options, cache=None, cache_max_gb=None)
    require_use_of_keys(options, foreign=foreign)
    for url in without_keys(options, foreign=foreign):
        observer(Notice(f"no key is sent to {url}: --key-to {url} sends it there"))
    patience = Patience(
        outage_s=60 * options.outage_minutes, tell=lambda text: observer(Notice(text))
    )
    keys_to = addresses(options, foreign=foreign)
    reviewer: str | None = getattr(options, "reviewer", None)
    find = partial(resolve_models, patience=patience, keys_to=keys_to, connect=connect)
    run_models = find(options.models, options.eval_model, judge=options.judge, reviewer=reviewer)
    domain = load_domain(options)
    _check_own(options, domain)
    domain = sampled(domain, options.eval_samples)
    _check_judge(options, domain)
    _check_rotation(options, domain)
    _check_ensemble(options, domain)
    _check_arena(options, domain)
    options = with_address(options, RunFolder(options.folder(domain)), options.place(domain))
    folder = RunFolder(options.folder(domain), options.space)
    foreign = foreign or admit(folder, options)
    earlier = _earlier(folder)
    if options.seed_agent is None:
        began_with = SHOWN if earlier is None else earlier.seed_agent
        options = msgspec.structs.replace(options, seed_agent=began_with)
    config = config_of(options, domain.data_sha256)
    initial = _initial(options, config, domain)
    config = msgspec.structs.replace(config, initial_sha256=code_sha256(initial))
    if earlier is not None:
        config = going_on(earlier, config)
    if joined := config.models[len(options.models) :]:
        others = find(joined, None).models
        run_models = msgspec.structs.replace(run_models, models=(*run_models.models, *others))
    own = _own(config, folder)
    return Setup(options, config, folder, domain, run_models, initial, foreign, own)


def _own(config: RunConfig, folder: RunFolder) -> "tuple[OwnExtension, ...]":
    if not config.extensions:
        return ()
    from hyperspace.extensions.own import own_extensions

    return own_extensions(config, folder)


def _earlier(folder: RunFolder) -> RunConfig | None:
    """Return the configuration of the run that is there, in the folder or on a server."""
    if folder.record.is_file():
        return read_record(folder.record).configuration
    kept = None if folder.address is None else kept_at(folder.address)
    return None if kept is None else kept.record().configuration


def _check_own(options: LaunchOptions, domain: Domain) -> None:
    """Refuse a domain of a person's own that would end a run in the middle."""
    if is_built_in(options.domain):
        return
    if sentences := unplayable(domain):
        raise DomainDataError(
            f"{domain.name}: {sentences[0]}; hyperspace domains {options.domain} --check tells all"
        )


def _check_judge(options: LaunchOptions, domain: Domain) -> None:
    if options.judge is None and needs_judge(domain):
        raise RunUsageError(
            f"answers to {domain.name} are graded by a model; name one with --judge MODEL"
        )
    if options.judge is not None and not needs_judge(domain):
        raise RunUsageError(
            f"--judge {options.judge}: {domain.name} is scored without a judge; leave it out"
        )


def _check_rotation(options: LaunchOptions, domain: Domain) -> None:
    if options.rotate_val is None:
        return
    rotate = f"--rotate-val {options.rotate_val}"
    if not isinstance(domain, Renewable):
        raise RunUsageError(
            f"{rotate}: {domain.name} has one set of validation items; leave it out"
        )
    if options.visible.val != "scores":
        raise RunUsageError(
            f"{rotate} compares exact scores of each set, and --visible says "
            f"val={options.visible.val}; use one of the two"
        )
    solo = getattr(options, "solo", None)
    if isinstance(solo, SoloTerms) and solo.optimise != "agent":
        raise RunUsageError(
            f"{rotate}: an ensemble is formed of generations that were scored on the same items; "
            "leave out --optimise or --rotate-val"
        )


def _check_ensemble(options: LaunchOptions, domain: Domain) -> None:
    solo = getattr(options, "solo", None)
    if not isinstance(solo, SoloTerms) or solo.optimise == "agent":
        return
    if any(has_outcomes(leaf_of(domain, item).domain) for item in domain.items("train")):
        raise RunUsageError(
            f"--optimise {solo.optimise}: an ensemble votes on answers, and those to {domain.name} "
            "are scored one by one; leave it out"
        )


def _check_arena(options: LaunchOptions, domain: Domain) -> None:
    if options.fleet is None or options.fleet.arena is UNSET:
        return
    if not isinstance(domain, HasOracle):
        raise RunUsageError(
            f"{domain.name} has no oracle, so nobody could say which of its testers' cases stand; "
            "an arena needs a task that declares one, with a normal form of its items "
            "(hyperspace/tasks/shapes/cases.py), such as email_validation"
        )
    if options.visible.val != "scores":
        raise RunUsageError(
            f"an arena compares exact scores on each round's suite, and --visible says "
            f"val={options.visible.val}; leave it out"
        )
    if options.rotate_val is not None:
        raise RunUsageError(
            f"--rotate-val {options.rotate_val}: the suite of an arena changes with each round; "
            "leave it out"
        )


def _check_cache(options: LaunchOptions) -> None:
    """Refuse early, before the run's folder is made, what can be no folder of replies."""
    if options.cache is None:
        if options.cache_max_gb is not None:
            raise RunUsageError(
                "--cache-max-gb bounds a cache, and there is none; add --cache [DIR]"
            )
        return
    if blocking := in_the_way(options.cache):
        raise RunUsageError(f"--cache {options.cache}: {blocking} is no folder; name another place")


def _initial(options: LaunchOptions, config: RunConfig, domain: Domain) -> dict[str, str]:
    """Return the code that a resumed run has kept; for a new run, that of its options."""
    kept = None if options.run is None else kept_start(RunFolder(options.run))
    if kept is not None:
        return kept
    runtime = {path: data.decode() for path, data in runtime_files(needs=config.needs).items()}
    seed = runtime | seed_code(domain, {}, config)

    def refusal(path: str) -> str:
        return next(filter(None, (config.edit_scope(a).refusal(path) for a in config.agents)), "")

    return starting_code(options.start, options.initial, seed, refusal, trust=options.trust)


def choose_sandbox(setup: Setup) -> Choice:
    """Choose a sandbox that may run this.

    Code given by a person and policies that attack are never run unconfined; code of a domain's
    folder is where `process` is asked for by name.

    Raises:
        RunUsageError: The sandbox that is asked for confines nothing, and this needs more.
        SandboxUnavailable: There is no sandbox that may run these models.
    """
    run_models = setup.run_models
    foreign_code = setup.initial or setup.foreign or brings_code(setup.domain)
    is_ours = run_models.all_offline and not (run_models.hostile or foreign_code)
    choice = choose(setup.options.sandbox, needs_boundary=not is_ours)
    if setup.foreign and not choice.sandbox.is_boundary:
        raise refuse_unconfined(choice.sandbox.name)
    confine_hostile(run_models, choice)
    if setup.initial and not choice.sandbox.is_boundary:
        raise RunUsageError(
            "--initial, --from-run and --start-from run code that is not ours, and sandbox "
            f"{choice.sandbox.name!r} confines nothing; use --sandbox bubblewrap or docker"
        )
    return choice


def confine_hostile(run_models: RunModels, choice: Choice) -> None:
    """Refuse to let policies that attack play where nothing confines them.

    Raises:
        RunUsageError: There is such a policy, and the sandbox is no boundary.
    """
    if run_models.hostile and not choice.sandbox.is_boundary:
        raise RunUsageError(
            f"{', '.join(run_models.hostile)} tries what an agent must not, and sandbox "
            f"{choice.sandbox.name!r} confines nothing; use --sandbox bubblewrap or docker"
        )


def record_of(setup: Setup, sandbox: Sandbox) -> RunRecord:
    """Return the content of run_config.json for a run that starts now."""
    record = msgspec.structs.replace(
        new_record(setup.config, sandbox.name, setup.options.command),
        domain_sha256=files_sha256(setup.options.domain),
        run_place=setup.options.place(setup.domain),
        call_seeds=True,
    )
    others: dict[str, object] = {"sandbox": sandbox.name}
    if setup.own:
        others[EXTENSION_HASHES] = {each.spec: each.sha256 for each in setup.own}
    return with_options(record, recorded(setup.options) | others)


def assemble(
    setup: Setup,
    opened: OpenedRun,
    ledger: Ledger,
    prices: PriceTable,
    sandbox: Sandbox,
    observer: Observer,
) -> RunContext:
    """Bring together what the generations of a run share."""
    config, options = setup.config, setup.options
    known = in_sight(config.visible, setup.domain)
    archives = {name: Archive(name, known) for name in config.agents}
    cache = None
    if options.cache is not None:
        bound = options.cache_max_gb
        cache = ReplyCache(options.cache, None if bound is None else int(bound * 1e9))
    return RunContext(
        config=config,
        folder=setup.folder,
        steering=CommandQueue(opened.marks, opened.writer),
        marks=opened.marks,
        writer=opened.writer,
        logs=RunLogs(setup.folder, config.agents),
        ledger=ledger,
        prices=prices,
        domain=setup.domain,
        sandbox=sandbox,
        participants=setup.run_models.participants(config.agents),
        judge=setup.run_models.judge,
        reviewer=setup.run_models.reviewer,
        archives=archives,
        order=ClosingOrder(opened.marks, archives),
        seed_code=seed_code(setup.domain, setup.initial, config),
        tester_code={path: text.decode() for path, text in seed_of_tester().items()},
        runtime=runtime_of(setup.folder, opened.marks, setup.domain),
        select=selection_of(config),
        emit=GrowingReplies(setup.folder.root).observing(observer),
        label=run_label(setup.folder.root),
        cache=cache,
        rounds=rounds_of(config, opened.marks, setup.domain),
        options=options,
        call_seeds=read_record(setup.folder.record).call_seeds is True,
        features=(*extensions_of(config), *setup.own),
        code={each.spec: each.sha256 for each in setup.own},
    )
