"""Reads what stands after the `?` of a domain's name, and what folder it was given."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from hyperspace.tasks.base import DomainDataError

RowsSeed = Annotated[int, msgspec.Meta(ge=0)]
Options = TypeVar("Options", bound=msgspec.Struct)
D = TypeVar("D")
Make = Callable[[Path | None, Mapping[str, str]], D]
"""Makes a domain of a folder, if one was given, and of options."""


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a domain that has none."""


class RowsOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a generated domain that has no others.

    Attributes:
        rows_seed: Seed of all that is drawn.
    """

    rows_seed: RowsSeed = 1


def read_options(name: str, options: Mapping[str, str], form: type[Options]) -> Options:
    """Convert options of a domain to a record that refuses unknown fields.

    Raises:
        DomainDataError: An option is unknown, or its value does not fit.
    """
    try:
        return msgspec.convert(dict(options), form, strict=False)
    except msgspec.ValidationError as error:
        names = ", ".join(form.__struct_fields__) or "none"
        raise DomainDataError(f"{name}: {error}; options: {names}") from error


def generated(name: str, form: type[Options]) -> Callable[[Callable[[Options], D]], Make[D]]:
    """Decorate what makes a domain that draws its own items; equal options give equal items.

    The domain's maker raises `DomainDataError` where an option is unknown, its value does not fit,
    or there is a folder.

    Args:
        name: Name of the domain.
        form: Its options.
    """

    def decorate(build: Callable[[Options], D]) -> Make[D]:
        def make(data: Path | None, options: Mapping[str, str]) -> D:
            refuse_data(name, data)
            return build(read_options(name, options, form))

        return make

    return decorate


def from_folder(
    name: str, files: str = "train.csv, val.csv and test.csv"
) -> Callable[[Callable[[Path], D]], Make[D]]:
    """Decorate what makes a domain of the files of a folder; it has no options.

    The domain's maker raises `DomainDataError` where there is an option, or no folder.

    Args:
        name: Name of the domain.
        files: What it reads, for people.
    """

    def decorate(read: Callable[[Path], D]) -> Make[D]:
        def make(data: Path | None, options: Mapping[str, str]) -> D:
            read_options(name, options, NoOptions)
            if data is None:
                raise DomainDataError(f"{name} reads {files}; name their folder with --data")
            return read(data)

        return make

    return decorate


def refuse_data(name: str, data: Path | None) -> None:
    """Refuse a folder for a domain that makes its own items.

    Raises:
        DomainDataError: There is one.
    """
    if data is not None:
        raise DomainDataError(
            f"{name} makes its own rows and reads no folder; leave out the data {data}"
        )
