"""Opening a run folder: a new run, one to go on with, or a finished one to read."""

import errno
import shutil
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from hyperspace.kernel.errors import ConfigMismatch, RunDamaged, RunUsageError, another_place
from hyperspace.kernel.files import written_name
from hyperspace.kernel.state.closings import records
from hyperspace.kernel.state.config import (
    FORMAT,
    RunConfig,
    RunRecord,
    read_record,
    record_fields,
    require_equal,
    write_record,
)
from hyperspace.kernel.state.copies import signing_state
from hyperspace.kernel.state.folder import RunFolder, require_free
from hyperspace.kernel.state.ids import RunIds
from hyperspace.kernel.state.lease import Heartbeat, take_lease
from hyperspace.kernel.state.mark_writer import MarkWriter
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.provenance import hashes_of_record, recorded_hashes, versions
from hyperspace.kernel.state.remote.place import has_space, is_remote, require_space, space_of
from hyperspace.kernel.state.scopes import run_scopes
from hyperspace.kernel.state.steering.principal import Principal
from hyperspace.wall_clock import utc_now
from markspace import MarkSpace
from markspace.errors import StoreLocked
from markspace.stores.places import open_store
from markspace.stores.sqlite import SQLiteStore


class RunSpace:
    """The open mark space of one run.

    Args:
        address: The path of space.db, or one in PostgreSQL that names the space.
        config: The run's.
        read_only: Never write.

    Attributes:
        store: Where it is kept.
        marks: What it holds.
    """

    def __init__(self, address: str | Path, config: RunConfig, *, read_only: bool = False) -> None:
        self._ids = RunIds(config.root_seed)
        self.store = open_store(str(address), None, read_only=read_only, synchronous="FULL")
        scopes = run_scopes(config.agents, cases=config.arena is not None)
        space = MarkSpace(scopes, clock=0.0, store=self.store, id_factory=self._ids)
        self.marks = RunMarks(space, config)
        self._is_remote = is_remote(str(address))

    def writer(self) -> MarkWriter:
        """Enroll the run's agents and its coordinator."""
        return MarkWriter(
            self.marks.space, self.marks.config, self._ids, keeps_files=self._is_remote
        )

    def principal(self) -> Principal:
        """Enroll the person who began the run."""
        return Principal(self.marks.space, self._ids)

    def close(self) -> None:
        """Release the store; a finished run opens from a read-only folder afterwards."""
        self.store.close()

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the one database file, if no reader stands in the way.

        Somebody who looks at a run must not make it fail; the log is whole, and whoever opens the
        space for writing next folds it.
        """
        if isinstance(self.store, SQLiteStore):
            with suppress(StoreLocked):
                self.store.checkpoint()


class OpenedRun(NamedTuple):
    """A run that this process works on.

    Attributes:
        marks: What its space holds.
        writer: Writes into its space.
        heartbeat: Keeps the coordinator's lease.
    """

    marks: RunMarks
    writer: MarkWriter
    heartbeat: Heartbeat


def is_finished(folder: RunFolder, config: RunConfig) -> bool:
    """Return whether this very run is there and finished.

    Raises:
        ConfigMismatch: The folder's run has another configuration.
        RunUsageError: The folder holds something else.
        RunDamaged: The run was begun, and its space is lost.
    """
    if not folder.record.exists():
        if not has_space(folder):
            require_free(folder.root)
        return False
    require_equal(folder.where, read_record(folder.record).configuration, config)
    _refuse_lost_space(folder, config)
    if not (has_space(folder) and folder.summary.exists()):
        return False
    with reading(folder, config) as marks:
        return marks.has_finals


def new_record(config: RunConfig, sandbox: str, command: tuple[str, ...]) -> RunRecord:
    """The record of a run that starts now, before what its options add."""
    return RunRecord(
        format=FORMAT,
        configuration=config,
        sandbox=sandbox,
        data=None,
        initial=None,
        command=tuple(map(written_name, command)),
        started_utc=utc_now(),
        versions=versions(),
    )


@contextmanager
def working(folder: RunFolder, record: RunRecord, *, signed: bool = True) -> Generator[OpenedRun]:
    """Become the coordinator of a run, new or there already, while the context lasts.

    Args:
        folder: Where it lies.
        record: As the run is asked for.
        signed: Whether a new run is to be this user's; not where it is thrown away.

    Raises:
        RunHeld: Another coordinator works on it.
        ConfigMismatch: It was begun with another sandbox.
        RunDamaged: It was begun, and its space is lost.
    """
    _make(folder)
    _refuse_lost_space(folder, record.configuration)
    with (
        signing_state(folder.root),
        closing(RunSpace(space_of(folder), record.configuration)) as space,
    ):
        writer = space.writer()
        heartbeat = take_lease(space.marks.space, folder.where)
        writer.lease = heartbeat.lease
        try:
            _settle_record(folder, record, space.marks, writer, signed=signed)
            writer.run_config = folder.record
            yield OpenedRun(space.marks, writer, heartbeat)
            space.checkpoint()
        finally:
            heartbeat.release()


@contextmanager
def reading(folder: RunFolder, config: RunConfig) -> Generator[RunMarks]:
    """Open a run's marks for reading only, while the context lasts.

    Raises:
        RunDamaged: The run has lost its space.
    """
    require_space(folder)
    with closing(RunSpace(space_of(folder), config, read_only=True)) as space:
        yield space.marks


def _make(folder: RunFolder) -> None:
    try:
        folder.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise RunUsageError(
            f"the folder {folder.root} cannot be made ({error.strerror}); "
            "use another --results folder"
        ) from error


def _settle_record(
    folder: RunFolder, record: RunRecord, marks: RunMarks, writer: MarkWriter, *, signed: bool
) -> None:
    if not folder.record.exists():
        if any(records(marks)):  # what somebody else has played is not taken for this run's
            raise RunDamaged(
                f"{folder.root} has lost its {folder.record.name}, and its space is not empty; "
                f"put it back from a copy, or use {another_place(folder.where)}"
            )
        writer.record_hashes(hashes_of_record(record_fields(record)))
        write_record(folder.record, record, sign_new=signed)
        return
    earlier = read_record(folder.record)
    requested = record.configuration
    require_equal(folder.where, earlier.configuration, requested)
    if earlier.sandbox != record.sandbox:
        raise ConfigMismatch(folder.where, "sandbox", earlier.sandbox, record.sandbox)
    if earlier.configuration != requested:  # by no more than by how many generations it has
        extend_record(folder, marks, writer, requested)


def extend_record(
    folder: RunFolder, marks: RunMarks, writer: MarkWriter, config: RunConfig
) -> None:
    """Write down that a run has another configuration from here on.

    A summary and the best code that are there are of an end that is none any more; they go first,
    so that a kill leaves a run that can say again what it came to.
    """
    extended = msgspec.structs.replace(read_record(folder.record), configuration=config)
    if recorded_hashes(marks.space):
        writer.record_hashes(hashes_of_record(record_fields(extended)))
    folder.summary.unlink(missing_ok=True)
    if folder.best.name not in config.agents:
        shutil.rmtree(folder.best, ignore_errors=True)
    write_record(folder.record, extended)


def _refuse_lost_space(folder: RunFolder, config: RunConfig) -> None:
    """Play nothing over a run whose state is gone: a space is there before anything is played."""
    played = [folder.summary, *map(folder.archive, config.agents)]
    played += [path for agent in config.agents for path in folder.agent(agent).glob("gen_*")]
    if any(path.exists() for path in played):
        require_space(folder)
