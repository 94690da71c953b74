"""The record of jobs: which try counts, and what came of it."""

from pathlib import Path

import pytest

from hyperspace.executor.errors import ExecutorUnavailable
from hyperspace.executor.jobs import JobId, JobOutcome
from hyperspace.executor.journal import Journal, copy_journal

JOB = JobId("a" * 64)
FIRST, SECOND = (JobOutcome(state="done", lines=(text,)) for text in (b"first", b"second"))


def test_a_late_answer_of_a_try_that_was_given_up_changes_nothing() -> None:
    journal = Journal()
    early = journal.begin(JOB)
    later = journal.begin(JOB)
    assert not journal.keep(JOB, early, FIRST)
    assert journal.outcome(JOB) is None
    assert journal.keep(JOB, later, SECOND)
    assert not journal.keep(JOB, early, FIRST)
    assert not journal.keep(JOB, later, FIRST), "nor does a second answer of the same try"
    assert journal.outcome(JOB) == SECOND


def test_a_try_of_a_job_that_was_forgotten_counts_no_more() -> None:
    journal = Journal()
    early = journal.begin(JOB)
    journal.forget(JOB)
    assert not journal.keep(JOB, early, FIRST)
    journal.begin(JOB)
    assert not journal.keep(JOB, early, FIRST)
    assert not journal.counts(JOB, early)


def test_what_is_kept_is_there_for_the_next_coordinator(tmp_path: Path) -> None:
    first = Journal(tmp_path / "a" / "jobs.db")
    assert first.keep(JOB, first.begin(JOB), FIRST)
    second = Journal(tmp_path / "a" / "jobs.db")
    assert second.done() == [JOB]
    assert second.outcome(JOB) == FIRST


def test_what_is_done_on_another_record_is_taken_over_once(tmp_path: Path) -> None:
    failed, unfinished = JobId("b" * 64), JobId("c" * 64)
    other = Journal(tmp_path / "other.db")
    other.keep(JOB, other.begin(JOB), FIRST)
    other.keep(failed, other.begin(failed), JobOutcome(state="timed_out"))
    other.begin(unfinished)
    own = Journal(tmp_path / "own.db", [tmp_path / "other.db"])
    assert own.outcome(JOB) is None
    assert [own.outcome_anywhere(job) for job in (JOB, JOB)] == [FIRST, FIRST]
    assert (own.outcome(JOB), own.taken) == (FIRST, 1)
    assert [own.outcome_anywhere(job) for job in (failed, unfinished)] == [None, None]
    (tmp_path / "other.db").write_text("no database" * 99)
    assert (own.outcome_anywhere(JOB), own.outcome_anywhere(failed)) == (FIRST, None)
    (tmp_path / "other.db").unlink()
    assert (own.outcome_anywhere(JOB), own.outcome_anywhere(failed)) == (FIRST, None)


def test_a_file_that_is_no_record_is_left_as_it_is_and_named(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    path.write_text("not a database, but long enough to be looked at" * 100)
    with pytest.raises(ExecutorUnavailable, match=r"jobs\.db cannot be used"):
        Journal(path)
    assert path.read_text().startswith("not a database")


def test_a_copy_has_what_is_done_and_equal_records_give_equal_copies(tmp_path: Path) -> None:
    for name in ("one", "two"):
        journal = Journal(tmp_path / name)
        journal.keep(JOB, journal.begin(JOB), FIRST)
        journal.begin(JobId("b" * 64))
        copy_journal(tmp_path / name, tmp_path / f"{name}.copy")
        assert len(journal.running()) == 0 and journal.outcome(JobId("b" * 64)) is None
    copies = [(tmp_path / f"{name}.copy").read_bytes() for name in ("one", "two")]
    assert copies[0] == copies[1]
    copied = Journal(tmp_path / "one.copy")
    assert (copied.done(), copied.outcome(JOB)) == ([JOB], FIRST)
    with pytest.raises(ExecutorUnavailable, match="is missing or no file"):
        copy_journal(tmp_path / "none", tmp_path / "none.copy")
    (tmp_path / "text").write_text("no database at all" * 100)
    with pytest.raises(ExecutorUnavailable, match="cannot be read as a record of jobs"):
        copy_journal(tmp_path / "text", tmp_path / "text.copy")
