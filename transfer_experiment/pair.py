"""A paired run: two agents on two models, in turns, with an eye on each other's best.

`run_pair` starts a run or goes on with it; the result is read from the space at the end.
"""

from contextlib import closing
from functools import partial
from pathlib import Path

import anyio
import msgspec

from agents.ledger import Ledger
from agents.seed_code import runtime_files, seed_files
from domains.base import Domain
from domains.registry import load
from evolution.archive import Archive
from evolution.config import RunConfig
from evolution.errors import RunUsageError
from evolution.events import Notice, Observer
from evolution.folder import RunFolder
from evolution.marks import RunMarks
from evolution.opening import is_finished, new_record, working
from evolution.run import play
from evolution.team import Team, run_label
from guards.choose import Choice, choose
from guards.sandbox import Sandbox
from transfer_experiment.crew import Crew, at_work, recruit
from transfer_experiment.initial import hash_of, read_initial
from transfer_experiment.options import PairOptions, agent_names, run_folder
from transfer_experiment.result import PairResult, read_result, write_summary


class Setup(msgspec.Struct, frozen=True):
    """A paired run, ready to be played.

    Attributes:
        options: As asked for.
        config: What decides the result.
        folder: Where it lies.
        domain: The task.
        crew: The models.
        initial: Code that replaces the seed's, path to text.
    """

    options: PairOptions
    config: RunConfig
    folder: RunFolder
    domain: Domain
    crew: Crew
    initial: dict[str, str]


def run_pair(options: PairOptions, observer: Observer) -> PairResult:
    """Play a paired run to its end, from wherever it is.

    Raises:
        RunUsageError: The options do not fit together, or not with the folder's run.
        DomainError: The domain or its data cannot be used.
        ModelError: A model name is unknown or its endpoint does not answer.
        SandboxUnavailable: There is no sandbox that may run these models.
        RunHeld: Another coordinator works on this run.
        RunPaused: A model went down; the same command goes on.
    """
    setup = set_up(options)
    was_finished = is_finished(setup.folder, setup.config)
    if not was_finished:
        anyio.run(partial(_play, setup, observer))
    return read_result(setup.folder, setup.config, was_finished=was_finished)


def set_up(options: PairOptions) -> Setup:
    """Find everything that the options name; touches no file of the run."""
    crew = recruit(options.models, options.eval_model)
    domain = load(options.domain, data=options.data)
    initial = {} if options.initial is None else read_initial(options.initial)
    config = RunConfig(
        kind="pair",
        domain=options.domain,
        data_sha256=domain.data_sha256,
        models=options.models,
        agents=agent_names(options.models),
        eval_model=options.eval_model,
        generations=options.generations,
        seed=options.seed,
        fallback=options.fallback,
        initial_sha256=hash_of(initial) if initial else None,
    )
    folder = RunFolder(run_folder(options, domain))
    return Setup(options, config, folder, domain, crew, initial)


async def _play(setup: Setup, observer: Observer) -> None:
    choice = _choose(setup)
    if choice.notice:
        observer(Notice(choice.notice))
    record = new_record(
        setup.config,
        choice.sandbox.name,
        setup.options.command,
        _absolute(setup.options.data),
        _absolute(setup.options.initial),
    )
    async with at_work(setup.crew):
        with (
            working(setup.folder, record) as (marks, heartbeat),
            closing(Ledger(setup.folder.ledger)) as ledger,
        ):
            team = _team(setup, marks, ledger, choice.sandbox, observer)
            conclude = partial(write_summary, setup.folder, setup.config, marks)
            await play(team, heartbeat, conclude)


def _choose(setup: Setup) -> Choice:
    """Choose a sandbox that may run this: code given by a person is never run unconfined."""
    needs_boundary = not setup.crew.all_offline or bool(setup.initial)
    choice = choose(setup.options.sandbox, needs_boundary=needs_boundary)
    if setup.initial and not choice.sandbox.is_boundary:
        raise RunUsageError(
            f"--initial runs code of yours, and sandbox {choice.sandbox.name!r} confines nothing; "
            "use --sandbox bubblewrap or docker"
        )
    return choice


def _team(
    setup: Setup, marks: RunMarks, ledger: Ledger, sandbox: Sandbox, observer: Observer
) -> Team:
    config = setup.config
    seed = {**seed_files(), **setup.domain.seed_files()}
    return Team(
        config=config,
        folder=setup.folder,
        marks=marks,
        ledger=ledger,
        domain=setup.domain,
        sandbox=sandbox,
        participants=setup.crew.participants(config.agents),
        archives={name: Archive(name) for name in config.agents},
        seed_code={path: data.decode() for path, data in seed.items()} | setup.initial,
        runtime=runtime_files(),
        emit=observer,
        label=run_label(setup.folder.root),
    )


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.resolve())
