"""The audit log: tampering with marks, entries, scopes or states is found and named."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread
from uuid import UUID

import pytest

from markspace import Action, Agent, MarkSpace, Need, Observation, Scope, Warning
from markspace.errors import StoreCorrupt
from markspace.keeping.audit import Decision
from markspace.stores.base import Store
from markspace.stores.sqlite import SQLiteStore

ANN = Agent(name="ann", scopes={"a": ["observation", "need", "action"]})


def fill(space: MarkSpace) -> None:
    """Write 6 marks in 5 commits; the third replaces the first."""
    first = space.write(ANN, Observation(scope="a", content="x" * 5000))
    space.write_all([(ANN, Observation(scope="a")), (ANN, Need(scope="a", question="why"))])
    space.write(ANN, Observation(scope="a", supersedes=first))
    space.write(ANN, Action(scope="a", result={"n": 1}))
    space.write(ANN, Observation(scope="a", content="end"))


def filled(path: Path) -> str:
    """Make a space file and return its head."""
    store = SQLiteStore(path)
    space = MarkSpace([Scope(name="a")], clock=1.0, store=store)
    fill(space)
    head = space.audit_head()
    store.close()
    return head


def problem_after(path: Path, *statements: str, head: str | None = None) -> str:
    """Tamper with the file and return what verification says."""
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    store = SQLiteStore(path)
    result = MarkSpace(store=store).verify(head)
    store.close()
    assert result.ok == (not result.problem)
    return result.problem


def test_an_untouched_space_verifies_up_to_its_head(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], clock=1.0, store=store)
    heads = [space.audit_head()]
    fill(space)
    heads.append(space.audit_head())
    space.refuse(Decision("write_mark", "denied", "ann", str(ANN.id), "a", "need", "because"))
    for head in (*heads, space.audit_head(), None):
        result = space.verify(head)
        assert (result.ok, result.head, result.entries) == (True, space.audit_head(), 7)
    assert [entry.kind for entry in space.audit(after=5)] == ["commit", "refusal"]
    assert "ends too early" in space.verify("ab" * 32).problem


def test_warnings_answers_and_empty_commits_verify(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], clock=1.0, store=store)
    assert space.verify().ok
    need = space.write(ANN, Need(scope="a", question="why"))
    weak = space.write(ANN, Observation(scope="a"))
    ann = Agent(name="ann", id=ANN.id, scopes={"a": ["observation", "need", "action", "warning"]})
    against = space.write(ann, Warning(scope="a", reason="old", invalidates=weak))
    space.write(ann, Warning(scope="a", reason="older", invalidates=weak, supersedes=against))
    assert space.verify().ok
    answer = space.write(ANN, Action(scope="a"))
    space.set_clock(9.0)
    space.resolve(need, answer)
    assert space.verify().ok
    space.refuse(Decision("write_mark", "denied", "ann", str(ANN.id), "a", "need", "because"))
    assert space.verify().ok


def test_equal_histories_have_equal_heads(make_store: Callable[[], Store]) -> None:
    heads: set[str] = set()
    for _ in range(2):
        names = iter(range(1, 100))
        space = MarkSpace(
            [Scope(name="a")],
            clock=1.0,
            store=make_store(),
            id_factory=lambda mark, names=names: UUID(int=next(names)),
        )
        fill(space)
        heads.add(space.audit_head())
    assert len(heads) == 1


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            "UPDATE marks SET body = x'8000' WHERE sequence = 2",
            "mark 2 of entry 3 was changed",
        ),
        ("DELETE FROM marks WHERE sequence = 3", "mark 3 of entry 3 is missing"),
        ("UPDATE audit SET body = x'8000' WHERE number = 4", "entry 4 does not fit"),
        ("UPDATE audit SET digest = x'00' WHERE number = 4", "entry 4 does not fit"),
        ("DELETE FROM audit WHERE number = 3", "entry 3 is missing; the next one there is 4"),
        ("DELETE FROM audit WHERE number = 6", "marks above 5 have no audit entry"),
        ("UPDATE marks SET state = 0, ended = 0 WHERE sequence = 1", "superseded"),
        ("UPDATE marks SET state = 1, ended = 6 WHERE sequence = 2", "superseded"),
        ("UPDATE blobs SET data = x'00'", "blob"),
        ("DELETE FROM blobs", "blob"),
        ("UPDATE scopes SET name = 'b'", "scope 'b' was changed"),
        ("UPDATE marks SET id = randomblob(16) WHERE sequence = 4", "mark 4 of entry 4 cannot"),
        ("UPDATE marks SET scope = 'b' WHERE sequence = 2", "mark 2 of entry 3 is filed"),
        ("UPDATE marks SET key = 't:b' WHERE sequence = 2", "mark 2 of entry 3 is filed"),
        (
            "UPDATE marks SET state = 2 WHERE sequence = 2",
            "1 marks say wrongly whether they were archived",
        ),
        ("UPDATE marks SET state = 1 WHERE sequence = 2", "1 marks say wrongly whether they are"),
        ("UPDATE marks SET state = 0 WHERE sequence = 1", "1 marks say wrongly whether they are"),
        ("UPDATE marks SET target = 2 WHERE sequence = 6", "1 marks say wrongly what they weaken"),
        ("UPDATE marks SET target = -1 WHERE sequence = 5", "1 marks say wrongly what they weaken"),
        ("UPDATE audit SET clock = 50", "the clock of entry 1 is 50.0"),
        ("UPDATE audit SET clock = 0", "the clock of entry 1 is 0.0"),
    ],
)
def test_tampering_is_found_and_placed(tmp_path: Path, statement: str, problem: str) -> None:
    path = tmp_path / "space.db"
    filled(path)
    assert problem in problem_after(path, statement)


def test_a_chain_that_was_cut_at_the_end_does_not_reach_the_noted_head(tmp_path: Path) -> None:
    path = tmp_path / "space.db"
    head = filled(path)
    cut = ("DELETE FROM audit WHERE number = 6", "DELETE FROM marks WHERE sequence = 6")
    assert problem_after(path, *cut) == ""
    assert f"ends too early: head {head}" in problem_after(path, head=head)


def test_the_log_can_be_read_while_others_write(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], clock=1.0, store=store)
    fill(space)
    seen: list[int] = []
    for entry in space.audit():
        seen.append(entry.number)
        writer = Thread(target=space.write, args=(ANN, Observation(scope="a")))
        if len(seen) == 1:
            writer.start()
            writer.join(60)
            assert not writer.is_alive()
    assert seen in (list(range(1, 7)), list(range(1, 8)))


def test_every_mark_that_is_as_committed_is_attested(store: Store) -> None:
    space = MarkSpace([Scope(name="a")], clock=1.0, store=store)
    fill(space)
    history = [mark for _, mark in space.history()]
    assert len(history) == 6
    for mark in history:
        space.attest(mark.id)
    with pytest.raises(StoreCorrupt, match="is missing"):
        space.attest(UUID(int=1))


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE marks SET body = (SELECT body FROM marks WHERE sequence = 4)", "was changed"),
        ("DELETE FROM audit WHERE number > 1", "no audit entry tells"),
        ("UPDATE audit SET body = x'00'", "cannot be read"),
    ],
)
def test_a_mark_that_is_not_as_committed_is_not_attested(
    tmp_path: Path, statement: str, problem: str
) -> None:
    path = tmp_path / "s.db"
    filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        last = connection.execute("SELECT id FROM marks WHERE sequence = 6").fetchone()[0]
        connection.execute(statement)
    with closing(SQLiteStore(path)) as store, pytest.raises(StoreCorrupt, match=problem):
        MarkSpace(store=store).attest(UUID(bytes=last))


def test_a_blob_that_was_changed_is_never_read(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE blobs SET data = CAST(replace(data, 'x', 'y') AS BLOB)")
    with (
        closing(SQLiteStore(path)) as store,
        pytest.raises(StoreCorrupt, match="its content hash differs"),
    ):
        list(MarkSpace(store=store).history())
