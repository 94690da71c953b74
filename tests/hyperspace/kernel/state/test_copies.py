"""A copy of a run is this user's if it is what the run was when it ended, and nobody changed it."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hyperspace.kernel.errors import RunHeld
from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.copies import STATE, copy_told, is_known, sign_state, take_back
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Repair
from hyperspace.kernel.state.opening import new_record, working
from hyperspace.kernel.state.ownership import RECORD, SIGNATURE, is_own
from hyperspace.wall_clock import utc_now
from tests.support.runs.begun import CONFIG, begun

Change = Callable[[Path], object]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that has ended, with all that decides how it goes on."""
    path = tmp_path / "run"
    with working(RunFolder(path), new_record(CONFIG, "process", ())) as opened:
        opened.writer.record(Repair(("some/file",), 1, utc_now()))
        for name, text in FILES.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(text)
    return path


DECIDING = {
    "limits.json": '{"format":1}',
    "ledger.jsonl": '{"spent":1}\n',
    "adaptations.jsonl": "{}\n",
    "served_models.jsonl": "{}\n",
    "start/task_agent.py": "pass\n",
    "abandoned/tinker_gen_1_0/llm_calls.jsonl": '{"reply":"yes"}\n',
    "tinker/.gen_1/llm_calls.jsonl": '{"reply":"no"}\n',
}
VIEWS = {
    "summary.json": "{}",
    "audit.jsonl": "{}\n",
    "tinker/archive.jsonl": "{}\n",
    "tinker/gen_0/llm_calls.jsonl": "{}\n",
    "task.md": "words\n",
}
FILES = DECIDING | VIEWS


def copy_of(run: Path) -> Path:
    return Path(shutil.copytree(run, run.with_name("copy")))


def test_a_copy_is_known_wherever_it_lies_and_its_place_is_signed_once_it_goes_on(
    run: Path,
) -> None:
    copy = copy_of(run)
    assert not is_own(copy)
    assert is_known(copy)
    assert not is_own(copy)
    assert take_back(copy)
    assert is_own(copy)


def test_a_copy_that_lost_what_can_be_made_again_is_known(run: Path) -> None:
    copy = copy_of(run)
    for name in VIEWS:
        (copy / name).unlink()
    (copy / "notes.txt").write_text("mine")
    assert is_known(copy)


def append(name: str) -> Change:
    return lambda run: (run / name).write_bytes((run / name).read_bytes() + b" ")


def lose(name: str) -> Change:
    return lambda run: (run / name).unlink()


def add(name: str) -> Change:
    def change(run: Path) -> None:
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text("x")

    return change


def execute(statement: str) -> Change:
    def change(run: Path) -> None:
        with closing(sqlite3.connect(run / "space.db")) as space:
            space.execute(statement)
            space.commit()

    return change


def append_mark(run: Path) -> None:
    """Write a mark as the program does, in the place of whoever is no owner of the run."""
    home, os.environ["XDG_STATE_HOME"] = os.environ["XDG_STATE_HOME"], "/nowhere"
    try:
        with working(RunFolder(run), read_record(run / RECORD)) as opened:
            opened.writer.record(Repair(("another/file",), 1, utc_now()))
    finally:
        os.environ["XDG_STATE_HOME"] = home


TRIGGER = "CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM marks; END"
CHANGES: dict[str, Change] = {
    **{f"changed {name}": append(name) for name in (RECORD, *DECIDING)},
    **{f"lost {name}": lose(name) for name in DECIDING},
    "a mark": execute("UPDATE marks SET body = zeroblob(4)"),
    "a blob": execute("INSERT INTO blobs VALUES (zeroblob(32), zeroblob(1))"),
    "an appended mark": append_mark,
    "a lease": execute("DELETE FROM leases"),
    "a trigger": execute(TRIGGER),
    "a journal that is played back": add("space.db-journal"),
    "a log that is played in": add("space.db-wal"),
    "an abandoned attempt": add("abandoned/tinker_gen_1_1/llm_calls.jsonl"),
    "an attempt under way": add("magpie/.gen_1/llm_calls.jsonl"),
    "code to start from": add("start/meta_agent.py"),
    "the task's code": add("task/task.py"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_copy_that_somebody_changed_is_a_strangers(run: Path, change: Change) -> None:
    copy = copy_of(run)
    change(copy)
    assert not is_known(copy)
    assert not take_back(copy)
    assert not is_own(copy)
    assert "is a copy of a run of yours that is damaged, or was changed" in copy_told(copy)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from([RECORD, *DECIDING, "space.db"]), data=st.data())
def test_no_changed_byte_passes(run: Path, name: str, data: st.DataObject) -> None:
    content = bytearray((run / name).read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    copy = run.with_name("other")
    shutil.copytree(run, copy, dirs_exist_ok=True)
    content[at] ^= data.draw(st.integers(1, 255))
    (copy / name).write_bytes(content)
    assert not is_known(copy)


def test_what_was_signed_of_another_run_or_of_an_older_state_says_nothing(run: Path) -> None:
    other = begun(run.with_name("other"))
    copy = copy_of(run)
    shutil.copy(other / STATE, copy / STATE)
    assert not is_known(copy)
    older = (run / STATE).read_bytes()
    record, before = run / RECORD, (run / "limits.json").read_text()
    with working(RunFolder(run), read_record(record)):
        (run / "limits.json").write_text('{"format":1,"limits":{"usd":1.0}}')
    newer = Path(shutil.copytree(run, run.with_name("newer")))
    assert is_known(newer)
    (newer / STATE).write_bytes(older)
    assert not is_known(newer)
    (newer / "limits.json").write_text(before)
    assert not is_known(newer)


def test_another_user_knows_none_of_our_copies(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copy_of(run)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert not is_known(copy)
    begun(tmp_path / "another")
    assert not is_known(copy)
    assert "if it is a copy of a run of yours that was killed" in copy_told(copy)


def test_what_is_not_ours_is_never_signed(run: Path, tmp_path: Path) -> None:
    copy = copy_of(run)
    append("ledger.jsonl")(copy)
    before = (copy / STATE).read_bytes()
    sign_state(copy)
    with working(RunFolder(copy), read_record(copy / RECORD)):
        pass
    assert (copy / STATE).read_bytes() == before
    (copy / STATE).unlink()
    (copy / SIGNATURE).unlink()
    assert "copy" not in copy_told(copy)


def test_a_start_that_fails_signs_and_one_that_finds_another_at_work_does_not(run: Path) -> None:
    record = read_record(run / RECORD)
    with pytest.raises(KeyError), working(RunFolder(run), record):
        (run / "ledger.jsonl").write_text("more\n")
        raise KeyError
    signed = (run / STATE).read_bytes()
    assert is_known(copy_of(run))
    with working(RunFolder(run), record):
        (run / "ledger.jsonl").write_text("even more\n")
        with pytest.raises(RunHeld), working(RunFolder(run), record):
            pass
        assert (run / STATE).read_bytes() == signed


def test_links_and_pipes_among_what_decides_are_not_followed(run: Path) -> None:
    copy = copy_of(run)
    (copy / "ledger.jsonl").unlink()
    (copy / "ledger.jsonl").symlink_to(run / "ledger.jsonl")
    assert not is_known(copy)
    (copy / "ledger.jsonl").unlink()
    os.mkfifo(copy / "ledger.jsonl")
    assert not is_known(copy)
    os.mkfifo(copy / "start" / "pipe")
    assert not is_known(copy)
