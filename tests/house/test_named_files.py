"""A file that a person names may be anything: what is none is refused in words, and at once."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from guards.scope.regular_files import Unreadable, read_given
from hyperspace.cli.defaults import read_defaults
from hyperspace.kernel.errors import RunUsageError
from hyperspace.models.base import AuthFailed, UnknownModel
from hyperspace.models.providers import read_env_file
from hyperspace.offline.policies.scripted import ScriptedPolicy
from hyperspace.runs.table import read_table
from hyperspace.serve.errors import BadFaults
from hyperspace.serve.faults import read_fault_file
from hyperspace.spending.prices import PriceTableError, read_prices
from hyperspace.tasks.babaisai.given import read_given as read_levels
from hyperspace.tasks.base import DomainDataError
from hyperspace.tasks.csv_rows import read_records
from hyperspace.tasks.knowledge_qa.domain import read_knowledge
from replication.data.source import SourceError, fetch
from transfer_experiment.fleet_file import read_fleet

REFUSALS = (
    AuthFailed, BadFaults, DomainDataError, PriceTableError, RunUsageError, SourceError, Unreadable,
    UnknownModel,
)  # fmt: skip


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        try:
            os.truncate(file.fileno(), 512 * 1024**3)
        except OSError:  # a file system that holds no such file
            os.truncate(file.fileno(), 2 * 1024**3)


def records(path: Path) -> object:
    return list(read_records("d", path, ("id",)))


def source(path: Path) -> object:
    return fetch(str(path))


READERS: dict[str, Callable[[Path], object]] = {
    "anything": read_given,
    "prices.toml": read_prices,
    "fleet.toml": read_fleet,
    "faults.toml": read_fault_file,
    "script.json": ScriptedPolicy.from_file,
    "keys.env": read_env_file,
    "hyperspace.toml": read_defaults,
    "rows.csv": records,
    "scores.csv": read_table,
    "gradingbench.csv": source,
    "levels.json": lambda path: read_levels(path.parent),
    "knowledge.md": lambda path: read_knowledge(path.parent),
}


@pytest.mark.parametrize(
    "make", [zeros, sparse, os.mkfifo, Path.mkdir], ids=lambda make: make.__name__
)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_of_a_sensible_size_is_refused(
    name: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    make(tmp_path / name)
    with pytest.raises(REFUSALS) as refusal:
        READERS[name](tmp_path / name)
    assert name == "anything" or name in str(refusal.value)


def test_a_link_is_the_persons_word(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"content")
    (tmp_path / "here").symlink_to("there")
    assert read_given(tmp_path / "here") == b"content"
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(Unreadable):
        read_given(tmp_path / "round")
