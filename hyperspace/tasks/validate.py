"""What a domain must be before anything is played: names, paths and inputs that a run can hold.

It is looked at whenever a domain is loaded, because what is wrong here would come up in the middle
of a run, as a candidate that ended its sandbox or a workspace that cannot be laid out.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, cast

import msgspec

from guards.scope.edit_scope import is_plain
from hyperspace.tasks.base import SPLITS, Domain, DomainDataError, Item
from hyperspace.tasks.shapes.documented import Described, task_files

LARGEST_INPUTS: Final = 1024**2  # bytes of an item's inputs as JSON
LONGEST_DESCRIPTION: Final = 64 * 1024  # bytes; a prompt has to hold it
LARGEST_FILES: Final = 16 * 1024**2  # bytes of seed and task files together
NAME: Final = re.compile(r"[a-z0-9_]+(\+[a-z0-9_]+)*")
OF_THE_HOST: Final = ("agent", "evals", "principal", "strategies", "task")
"""Folders of a workspace that no seed may write to."""


def check_usable(domain: Domain) -> None:
    """Check that a run can hold a domain.

    Raises:
        DomainDataError: It cannot; says what is wrong first.
    """
    if fault := next(faults(domain), None):
        raise DomainDataError(f"{domain.name}: {fault}")


def name_faults(domain: Domain) -> Iterator[str]:
    """Say what keeps a name from being part of a path."""
    if not NAME.fullmatch(domain.name):
        yield f"its name {domain.name!r} is not of lower-case letters, digits and underscores"


def faults(domain: Domain) -> Iterator[str]:
    """Say what a run cannot hold, a sentence each."""
    yield from name_faults(domain)
    if domain.staged_items < 0:
        yield f"its staged_items are {domain.staged_items}, and cannot be fewer than none"
    if isinstance(domain, Described):
        yield from _description_faults(domain.description)
    yield from _file_faults("seed", domain.seed_files())
    yield from _file_faults("task", task_files(domain))
    for path in domain.seed_files():
        if path.partition("/")[0] in OF_THE_HOST:
            yield f"the seed file {path!r} lies in a folder that is not the agent's to write"
    for split in SPLITS:
        for item in domain.items(split):
            if fault := _input_fault(item):
                yield fault
                break  # what is wrong with one is mostly wrong with all


def _description_faults(description: object) -> Iterator[str]:
    if not isinstance(description, str):
        yield f"its description is {type(description).__name__}, not text"
    elif any("\ud800" <= character <= "\udfff" for character in description):
        yield "its description holds what UTF-8 cannot carry"
    elif len(description.encode()) > LONGEST_DESCRIPTION:
        yield f"its description has more than {LONGEST_DESCRIPTION:,} bytes"


def _file_faults(kind: str, files: Mapping[str, bytes]) -> Iterator[str]:
    for path, content in files.items():
        if not is_plain(path):
            yield f"the {kind} file {path!r} is no plain relative path"
        elif cast("object", type(content)) is not bytes:
            yield f"the {kind} file {path!r} is {type(content).__name__}, not bytes"
    sizes = [len(content) for content in files.values()]
    if sum(sizes) > LARGEST_FILES:
        yield f"its {kind} files have {sum(sizes):,} bytes; at most {LARGEST_FILES:,} are laid out"


def _input_fault(item: Item) -> str:
    named = item.id if len(item.id) <= 80 else f"{item.id[:80]}..."
    try:
        size = len(msgspec.json.encode(item.inputs))
    except (TypeError, ValueError) as error:
        return f"the inputs of {named!r} are not JSON values: {error}"
    if size > LARGEST_INPUTS:
        return f"the inputs of {named!r} have {size:,} bytes; at most {LARGEST_INPUTS:,} are asked"
    return ""
