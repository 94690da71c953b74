"""A run that is being worked on, and others who look at it."""

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.opening import new_record, reading, working
from tests.support.runs.begun import CONFIG

RECORD = new_record(CONFIG, "process", ("test",))


@pytest.mark.slow  # for ten seconds the end of the run hopes that the reader goes on
def test_a_reader_that_stands_still_does_not_make_a_run_fail(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with ExitStack() as stack:
        with working(folder, RECORD):
            reader = stack.enter_context(
                closing(sqlite3.connect(folder.space, isolation_level=None))
            )
            reader.execute("BEGIN")
            assert reader.execute("SELECT count(*) FROM leases").fetchone() == (1,)
        with reading(folder, CONFIG) as marks:
            assert holder_of(marks.space) is None


def test_who_works_on_a_run_is_known_while_it_lasts(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with working(folder, RECORD), reading(folder, CONFIG) as marks:
        held = holder_of(marks.space)
        assert held is not None
        assert held.holder.startswith("pid ")
    with reading(folder, CONFIG) as marks:
        assert holder_of(marks.space) is None
