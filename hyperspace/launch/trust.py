"""Runs that somebody else began: what executing one would do is said first, and asks for --trust.

What only reads a run needs none of this (`hyperspace.kernel.state.ownership.enter` is enough).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import UNSET

from guards.scope.changes import printable
from hyperspace.kernel.errors import ForeignRun, RunUsageError
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.copies import copy_told, is_known, take_back
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.ownership import enter, is_own
from hyperspace.kernel.state.terms import Terms, read_terms
from hyperspace.launch.kept_task import NamedTask, task_of
from hyperspace.launch.run_domain import load_again
from hyperspace.lookup.resolve import is_named
from hyperspace.models.names import split_name
from hyperspace.options.launch import LaunchOptions
from hyperspace.spending.budget import SpendingLimits
from hyperspace.tasks.base import Domain
from hyperspace.tasks.registry import load

_LONGEST: Final = 300


def admit(folder: RunFolder, options: LaunchOptions) -> bool:
    """Check whether the run of a folder may be gone on with; a folder without a run may.

    Args:
        folder: Where it lies.
        options: What is asked for; whether the person trusts who made the run is among it.

    Returns:
        Whether it is somebody else's, and trusted.

    Raises:
        ForeignRun: Somebody else began it; says what it would do.
        RunUsageError: The folder holds what no run does.
    """
    if not folder.root.is_dir() or is_own(folder.root):
        return False
    enter(folder.root, to_write=True)
    if not folder.record.is_file() or take_back(folder.root):
        return False
    if not options.trust:
        deeds = ", ".join(_deeds(folder, options.data))
        raise ForeignRun(str(folder.root), deeds, copy_told(folder.root))
    return True


def admit_named(options: LaunchOptions) -> bool:
    """Check whether the run whose folder options name may be gone on with, as `admit` does.

    Raises:
        ForeignRun: Somebody else began it; says what it would do.
        RunUsageError: The folder holds what no run does, or its domain is Python in a file, and
            somebody else's.
    """
    if options.run is None or not admit(RunFolder(options.run), options):
        return False
    config = read_record_of(options.run).configuration
    if ".py:" in config.domain:  # no sandbox confines what importing it does
        raise RunUsageError(
            f"the domain of {options.run} is Python in a file, {printable(config.domain)}, which "
            "runs unconfined, and the run was not begun by you here; if you trust that file, give "
            f"the command that plays the run, with --domain {printable(config.domain)} and --trust"
        )
    if config.extensions:
        files = ", ".join(map(printable, config.extensions))
        raise RunUsageError(
            f"{options.run} has extensions that are Python in files, {files}, which run "
            "unconfined, and the run was not begun by you here; if you trust these files, give "
            "the command that plays the run, with --extension for each and --trust"
        )
    return True


def load_domain(options: LaunchOptions) -> Domain:
    """Load the domain that options name; that of a run that is there once the run is admitted.

    Raises:
        ForeignRun: Somebody else began the run; see `admit_named`.
        RunUsageError: It is Python in a file, on the word of a fleet's file that is not trusted;
            or the data of a run that is there are not where they were.
        DomainError: The domain or its data cannot be used.
    """
    is_word_of_file = _has_file(options) and options.run is None and not options.trust
    if is_word_of_file and ".py:" in options.domain:
        raise RunUsageError(
            f"the domain of the fleet is Python in a file, {printable(options.domain)}, which "
            "runs unconfined; if you trust that file, and the fleet's, add --trust"
        )
    if options.run is not None:
        admit_named(options)
        task = task_of(options.run, NamedTask(options.domain, options.data))
        return load_again(task.spec, task.data, options.seed)
    return load(options.domain, data=options.data, run_seed=options.seed)


def admit_code(run: Path, *, trust: bool) -> None:
    """Check whether code of a run may be executed, in a sandbox.

    Raises:
        ForeignRun: Somebody else began the run.
        RunUsageError: There is none.
    """
    read_record_of(run)
    if not (trust or is_known(run)):
        deed = "run its agents' code in the sandbox of the new run"
        raise ForeignRun(str(run), deed, copy_told(run))


def addresses(options: LaunchOptions, *, foreign: bool) -> tuple[str, ...] | None:
    """Return the addresses in models' names that keys may be sent to; None for all of them.

    Those that a command line names, now or when this user began the run, are the person's word. A
    fleet's file, and a record of somebody else, are not.
    """
    return options.keys_to if foreign or _has_file(options) else None


def _has_file(options: LaunchOptions) -> bool:
    """Whether a fleet's file describes a run; an arena is described by its command line."""
    return options.fleet is not None and options.kind == "fleet" and options.fleet.arena is UNSET


def require_use_of_keys(options: LaunchOptions, *, foreign: bool) -> None:
    """Check that each address that is named for keys is that of a model whose keys are held back.

    Raises:
        RunUsageError: One is not.
    """
    named = addresses(options, foreign=foreign)
    if options.keys_to and named is None:
        raise RunUsageError(
            "--key-to is for a fleet's file, or a run of somebody else's that you --trust: models "
            "of a run of your own get their keys without it"
        )
    urls = _urls(options)
    for address in named or ():
        if not any(is_named(url, (address,)) for url in urls):
            there = ", ".join(sorted(urls)) or "none in their names"
            raise RunUsageError(
                f"--key-to {printable(address)} is no address of this run's models; there is "
                f"{printable(there)}"
            )


def without_keys(options: LaunchOptions, *, foreign: bool) -> Iterator[str]:
    """Yield the addresses in models' names that get no key."""
    named = addresses(options, foreign=foreign)
    urls = _urls(options)
    yield from sorted(url for url in urls if named is not None and not is_named(url, named))


def _urls(options: LaunchOptions) -> set[str]:
    """Return the addresses in models' names."""
    reviewer = getattr(options, "reviewer", None)
    models = {*options.models, *filter(None, [options.eval_model, options.judge, reviewer])}
    return {split_name(name).url for name in models} - {""}


def terms_before(folder: RunFolder, *, foreign: bool) -> Terms:
    """Return the terms of the start before; of somebody else's run, its limits alone."""
    terms = read_terms(folder.terms)
    return Terms(limits=terms.limits) if foreign else terms


def refuse_unconfined(sandbox: str) -> RunUsageError:
    """Return the refusal to execute somebody else's run where nothing confines it."""
    return RunUsageError(
        f"this run was not begun by you here, and sandbox {sandbox!r} confines "
        "nothing; it is executed in bubblewrap or docker only, so start a run of your own from "
        "its code: --from-run RUN#AGENT --trust"
    )


def _deeds(folder: RunFolder, data: Path | None) -> Iterator[str]:
    record = read_record_of(folder.root)
    config = record.configuration
    deed = "import the Python of" if ".py:" in config.domain else "play"
    yield _shown(f"{deed} the domain ", config.domain)
    for spec in config.extensions:
        yield _shown("import the Python of the extension ", spec)
    if data is not None:
        yield _shown("read the data in ", str(data))
    others = filter(None, [config.eval_model, config.judge, config.reviewer])
    models = dict.fromkeys((*config.models, *others))
    yield _shown("ask the models ", " ".join(models))
    yield _shown("run code in sandbox ", record.sandbox)
    yield f"spend up to {_told(read_terms(folder.terms).limits)}"


def _shown(what: str, text: str) -> str:
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return what + printable(short)


def _told(limits: SpendingLimits) -> str:
    known = {"US dollars": limits.usd, "tokens": limits.tokens, "hours": limits.hours}
    known |= {"calls": limits.calls}
    named = [f"{value} {what}" for what, value in known.items() if value is not None]
    return " and ".join(named) or "no limit"
