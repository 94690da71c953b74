"""`hyperspace replay`: a run made again from its traces, in a temporary folder, asking nobody."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from guards.parsing import decode_json
from guards.sandboxes.choose import Choice, choose
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.extensions.own import own_extensions
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.events import Notice, Observer
from hyperspace.kernel.records.recording import FilesDiffer, Recording, Tools
from hyperspace.kernel.run.interrupts import run_interruptible
from hyperspace.kernel.run.limits import open_ledger
from hyperspace.kernel.run.replay import replay
from hyperspace.kernel.state.config import RunRecord, read_record_of
from hyperspace.kernel.state.copies import is_known
from hyperspace.kernel.state.digest import digest
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import reading, working
from hyperspace.kernel.state.remote.place import OPTION
from hyperspace.kernel.state.terms import Terms
from hyperspace.launch.existing import options_of
from hyperspace.launch.run_domain import domain_of
from hyperspace.launch.run_models import RunModels
from hyperspace.launch.setup import Setup, assemble, confine_hostile
from hyperspace.launch.trust import admit_code, refuse_unconfined
from hyperspace.options.launch import LaunchOptions
from hyperspace.tasks.base import Domain
from hyperspace.tasks.registry import files_sha256
from hyperspace.tracing.replaying import Difference, RecordedModel, ReplayStopped, ToolDifference


class ReplayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A replay as asked for.

    Attributes:
        run: The recorded run's folder.
        tools: Whose word counts on what tools did: the record's, or that of the tools as they
            run again.
        data: Folder with the domain's data; None takes the recorded one.
        domain: The domain again, for a run whose domain is a file of code: nobody's code is
            imported on a record's word. None takes the recorded one.
        sandbox: Kind of sandbox; None takes the recorded kind.
        kind: Declares the run's options.
        trust: Whether live tools, and extensions, may be those of a run that somebody else began.
    """

    run: Path
    tools: Tools = "recorded"
    data: Path | None = None
    domain: str | None = None
    sandbox: str | None = None
    kind: type[LaunchOptions] = LaunchOptions
    trust: bool = False


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a replay.

    Attributes:
        run: The recorded run's folder.
        same: Whether the replay ended with the recorded digest.
        recorded_digest: The recorded run's digest.
        digest: The replay's digest over what it made.
        closed: How many generations and final evaluations the record holds.
        tools: See `ReplayOptions`.
        difference: Where it left the record; None if it never did.
        tool_differences: Results of tools that were not the recorded ones.
        files_differ: Generations whose tools left other files than recorded; with recorded tools
            the recorded files were taken.
    """

    run: str
    same: bool
    recorded_digest: str
    digest: str
    closed: int
    tools: Tools
    difference: Difference | None
    tool_differences: tuple[ToolDifference, ...]
    files_differ: tuple[FilesDiffer, ...]


def replay_run(options: ReplayOptions, observer: Observer) -> ReplayResult:
    """Make a run again from its record.

    Raises:
        ForeignRun: Somebody else began it, is not trusted, and its tools are to be live.
        RunUsageError: There is no run, its data is another, a trace was not kept or was redacted, a
            sandbox must be named, or the one that is named does not confine what plays.
        DomainError: The domain or its data cannot be used.
        SandboxUnavailable: The recorded kind of sandbox does not work here.
        RunDamaged: A file of the run is missing or was changed, or its space does not verify.
    """
    record = read_record_of(options.run)
    with reading(RunFolder(options.run), record.configuration) as marks:
        Recording(RunFolder(options.run), marks, options.tools).check()
    if options.tools == "live":
        admit_code(options.run, trust=options.trust)
    domain = domain_of(record, "a replay", options.domain, options.data, options.run)
    _tell_edit(options, record, observer)
    choice = _choose(options, record)
    if not (choice.sandbox.is_boundary or is_known(options.run)):
        raise refuse_unconfined(choice.sandbox.name)
    if choice.notice:
        observer(Notice(choice.notice))
    with tempfile.TemporaryDirectory(prefix="hyperspace-replay-") as scratch:
        setup = _setup(options, record, domain, Path(scratch) / "run", choice)
        confine_hostile(setup.run_models, choice)
        with reading(RunFolder(options.run), record.configuration) as marks:
            recording = Recording(RunFolder(options.run), marks, options.tools)
            difference = _play(setup, choice, record, recording, observer)
        replayed = digest(setup.folder.root)
        return ReplayResult(
            run=str(options.run),
            same=difference is None and replayed == recording.digest,
            recorded_digest=recording.digest,
            digest=replayed,
            closed=recording.closed,
            tools=options.tools,
            difference=difference,
            tool_differences=recording.tool_differences(),
            files_differ=recording.files_differing(),
        )


def _tell_edit(options: ReplayOptions, record: RunRecord, observer: Observer) -> None:
    now = files_sha256(options.domain or record.configuration.domain)
    if None not in (now, record.domain_sha256) and now != record.domain_sha256:
        told = "where the replay differs, that may be why"
        observer(Notice(f"the file of the domain was edited since the run began; {told}"))


def _choose(options: ReplayOptions, record: RunRecord) -> Choice:
    """The recorded kind: digests are compared within a kind. No boundary only when asked for."""
    kind = options.sandbox or record.sandbox
    if kind == "process" and options.sandbox is None:
        raise RunUsageError(
            "this run was made in sandbox 'process', which confines nothing, and a replay runs "
            "the commands that its traces hold; if you trust them, add --sandbox process"
        )
    return choose(kind, needs_boundary=True)


def _setup(
    options: ReplayOptions, record: RunRecord, domain: Domain, scratch: Path, choice: Choice
) -> Setup:
    config = record.configuration
    eval_model = None if config.eval_model is None else RecordedModel(config.eval_model)
    names = (_model_name(options.run / agent) for agent in config.agents)
    judge = None if config.judge is None else RecordedModel(config.judge)
    reviewer = None if config.reviewer is None else RecordedModel(config.reviewer)
    run_models = RunModels(tuple(map(RecordedModel, names)), eval_model, judge, reviewer)
    now = {"sandbox": choice.sandbox.name, "cache": None, "cache_max_gb": None}
    launch = options_of(options.run, options.kind, **now)
    own = own_extensions(config, RunFolder(options.run), trust=options.trust)
    return Setup(launch, config, RunFolder(scratch), domain, run_models, {}, own=own)


def _model_name(agent: Path) -> str:
    """The name that an agent's code was told; of a recorded agent that is not the run's word."""
    path = agent / "summary.json"
    try:
        return str(decode_json(read_whole(path), dict[str, Any])["model_name"])
    except (Unreadable, msgspec.DecodeError, KeyError) as error:
        raise RunDamaged(f"{path} does not name the agent's model: {error}") from error


def _play(
    setup: Setup, choice: Choice, record: RunRecord, recording: Recording, observer: Observer
) -> Difference | None:
    """Play in the setup's folder; where the record was left is returned, not raised."""
    kept = {name: value for name, value in record.options.items() if name != OPTION}
    record = msgspec.structs.replace(record, sandbox=choice.sandbox.name, options=kept)
    terms = Terms()  # nobody is asked, so nothing is spent and nothing is limited
    with (
        working(setup.folder, record, signed=False) as opened,
        open_ledger(setup.folder.ledger, terms.limits) as ledger,
    ):
        context = msgspec.structs.replace(
            assemble(setup, opened, ledger, terms.table(), choice.sandbox, observer),
            # As the run has it: this version's seed may be another.
            seed_code=recording.code(setup.config.agents[0], 0),
            runtime=recording.runtime(setup.config.agents[0]),
            recording=recording,
        )
        if testers := [a for a in setup.config.agents if setup.config.member(a).role == "tester"]:
            first = recording.code(testers[0], 0)
            context = msgspec.structs.replace(context, tester_code=first)
        try:
            run_interruptible(partial(replay, context, opened.heartbeat, recording))
        except ReplayStopped as stopped:
            return stopped.difference
    return None
