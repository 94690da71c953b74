"""What is already there where a run is asked for: its own number of generations, and its test."""

from typing import TypeVar

import msgspec

from domains.base import Domain
from domains.registry import load
from evolution.events import Notice, Observer
from evolution.launch.setup import Setup
from evolution.options.launch import LaunchOptions
from evolution.state.config import is_extension, read_record
from evolution.state.folder import RunFolder
from evolution.state.opening import is_finished

Options = TypeVar("Options", bound=LaunchOptions)


def as_found(options: Options, domain: Domain | None = None) -> Options:
    """The options, with the budgets of the run that is there; as they are where none is.

    For a command line that names no number: a run that is finished is then not made longer just
    because a default is another number.

    Args:
        options: As asked for.
        domain: The task, if it is loaded already.

    Raises:
        DomainError: The domain or its data cannot be used.
        RunUsageError: The folder holds something that is no run of this version.
    """
    domain = domain or load(options.domain, data=options.data)
    record = RunFolder(options.folder(domain)).record
    if not record.is_file():
        return options
    found = read_record(record).configuration
    return msgspec.structs.replace(options, generations=found.generations, fleet=found.fleet)


def tell_extension(setup: Setup, observer: Observer) -> None:
    """Tell, before any work, that a run which goes on after its test is marked for it."""
    folder, asked = setup.folder, setup.config
    if not folder.record.is_file():
        return
    found = read_record(folder.record).configuration
    if is_extension(found, asked) and is_finished(folder, found):
        observer(
            Notice(
                f"{folder.root} was finished at generation {found.generations}, and test was "
                f"looked at then; it goes on to generation {asked.generations}, and its result "
                "will be marked test_exposed"
            )
        )
