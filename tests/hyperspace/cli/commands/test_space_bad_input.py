"""`hyperspace space` on what is damaged, missing or wrong: one sentence, and nothing is changed."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import HYPERSPACE, hyperspace
from tests.support.paths import ROOT
from tests.support.servers.postgres_server import PostgresServer
from tests.support.some_space import Command

CHANGE = "UPDATE marks SET body = cast(replace(body, 'load', 'lead') AS BLOB) WHERE sequence = 1"


def test_a_changed_mark_does_not_verify(file: Path, space: Command) -> None:
    with sqlite3.connect(file) as database:
        database.execute(CHANGE)
    database.close()
    printed = space("verify", file)
    assert (printed.code, printed.out) == (1, "")
    assert "DOES NOT VERIFY: mark 1" in printed.err


@pytest.mark.parametrize("action", ["marks", "stats"])
def test_a_damaged_mark_is_named(action: str, file: Path, space: Command) -> None:
    with sqlite3.connect(file) as database:
        database.execute("UPDATE marks SET body = x'00' WHERE sequence = 2")
    database.close()
    printed = space(action, file)
    assert printed.code == 1
    assert "mark 2: a stored mark cannot be read" in printed.err


def test_a_damaged_entry_is_pointed_at(file: Path, space: Command) -> None:
    with sqlite3.connect(file) as database:
        database.execute("UPDATE audit SET body = x'00' WHERE number = 2")
    database.close()
    assert "audit entry 2 cannot be read" in space("audit", file).err


def test_an_export_that_fails_leaves_what_was_there(file: Path, space: Command) -> None:
    output = file.with_name("out.jsonl")
    output.write_text("old")
    with sqlite3.connect(file) as database:
        database.execute("UPDATE marks SET body = x'00' WHERE sequence = 8")
    database.close()
    assert space("export", file, "--output", output).code == 1
    assert output.read_text() == "old"
    assert sorted(path.suffix for path in file.parent.iterdir() if "out" in path.name) == [".jsonl"]


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["marks", "nowhere.db"], 2, "nowhere.db does not exist"),
        (["marks", "/dev/null"], 2, "no regular file"),
        (["marks", "folder"], 2, "holds no run"),
        (["marks", "text.db"], 1, "text.db is damaged or no space"),
        (["needs", "empty.db"], 1, "empty.db is empty"),
        (["stats", "other.db"], 1, "a database, but no space"),
        (["audit", "newer.db"], 1, "schema version 99"),
        (["verify", "cut.db"], 1, "restore it from a copy"),
        (["marks", "space.db", "--scope", "opps"], 2, "no scope 'opps' here; there are: _system"),
        (["watch", "space.db", "--scope", "opps"], 2, "no scope 'opps' here"),
        (["marks", "space.db", "--after", "x"], 2, "'x' is not a whole number"),
        (["verify", "space.db", "--head", "12"], 2, "64 hexadecimal digits"),
        (["export", "space.db", "--output", "space.db/x"], 2, "space.db is no folder"),
        (["export", "space.db", "--output", "."], 2, "no regular file"),
        (["export", "space.db", "--output", "./space.db"], 2, "is the space itself"),
        (["look", "space.db"], 2, "marks"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str],
    code: int,
    expected: str,
    file: Path,
    space: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(file.parent)
    spoil(file)
    before = file.read_bytes()
    printed = space(*arguments)
    assert (printed.code, printed.out) == (code, "")
    assert expected in printed.err
    assert len(printed.err.splitlines()) == 1
    assert file.read_bytes() == before


def spoil(file: Path) -> None:
    """Put broken spaces of all kinds beside a whole one."""
    folder, whole = file.parent, file.read_bytes()
    (folder / "text.db").write_text("years of work " * 100)
    (folder / "empty.db").touch()
    (folder / "folder").mkdir()
    (folder / "cut.db").write_bytes(whole[: len(whole) // 2])
    (folder / "newer.db").write_bytes(whole)
    for name, statement in {
        "other.db": "CREATE TABLE recipes (name TEXT)",
        "newer.db": "UPDATE meta SET value = '99' WHERE name = 'schema_version'",
    }.items():
        with sqlite3.connect(folder / name) as database:
            database.execute(statement)
        database.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:hunter2@localhost/db?space=x",
        "postgresql://localhost/db?space=x&password=hunter2",
        "postgresql://ann:hunter2/x@localhost/db?space=x",
        "postgresql://ann:hunter2#x@localhost/db?space=x",
        "postgresql://ann:1?hunter2@localhost/db?space=x",
        "postgresql://ann:1/hunter2@localhost/db?space=x",
        "postgresql://localhost/db",
        "postgresql://[::1/hunter2?space=x",
        "postgresql://localhost/db?space=HUNTER2",
        f"postgresql://localhost/db?space={'hunter2' * 6}",
    ],
)
def test_a_wrong_url_is_a_usage_error_that_repeats_no_secret(url: str, space: Command) -> None:
    printed = space("marks", url)
    assert (printed.code, printed.out) == (2, "")
    assert "PGPASSWORD" in printed.err or "postgresql://host/database?space=NAME" in printed.err
    assert "hunter2" not in printed.err
    assert len(printed.err.splitlines()) == 1


def test_a_run_in_a_space_that_cannot_be_is_a_usage_error_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    words = ("--model", "offline/tinker", "--domain", "repo_quality", "--results", tmp_path / "new")
    done = hyperspace("solo", *words, "--space", "postgresql://localhost/db?space=TWO")
    assert done.returncode == 2, done.stderr
    assert "a-z, 0-9 and underscores" in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_server_that_does_not_answer_is_one_sentence(space: Command, tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    printed = space("marks", f"postgresql://ann@/db?host={tmp_path}&space=mine")
    assert (printed.code, printed.out) == (1, "")
    assert "does not answer" in printed.err
    assert len(printed.err.splitlines()) == 1


@pytest.mark.postgres
def test_a_space_that_is_not_there_is_not_made(postgres: PostgresServer, space: Command) -> None:
    for _ in range(2):
        printed = space("stats", f"{postgres.dsn}&space=absent")
        assert printed.code == 1
        assert "'absent' does not exist" in printed.err


def test_reading_works_without_the_right_to_write(file: Path) -> None:
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    inside = ["unshare", "-m", "sh", "-c", script, "sh", str(file.parent)]
    command = [*inside, *HYPERSPACE, "space", "stats", str(file)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"this test mounts a folder read-only, which is refused here: {done.stderr}")
    assert "8 marks" in done.stdout, done.stderr


def test_help_of_the_actions_loads_no_machinery() -> None:
    done = hyperspace("space", "export", "--help")
    assert "--output" in done.stdout
    code = (
        "import sys; from hyperspace.cli.main import main\n"
        "try: main(['space', 'marks', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'anyio', 'msgspec', 'rich', 'markspace', 'pyarrow',\n"
        "         'hyperspace.kernel.state.marks'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert loaded.returncode == 0, loaded.stderr
