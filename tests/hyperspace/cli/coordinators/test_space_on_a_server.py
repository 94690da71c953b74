"""Runs whose space is on a PostgreSQL server."""

import json
import shutil
import threading
from pathlib import Path
from zipfile import ZipFile

import pytest

from hyperspace.kernel.state.digest import digest
from tests.support.command import failed, hyperspace, pair
from tests.support.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished pair with its space in its folder."""
    return Path(pair(tmp_path_factory.mktemp("local"), generations=1)["run"])


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer) -> Path:
    """The same pair with its space on a server."""
    results = tmp_path_factory.mktemp("remote")
    return Path(pair(results, "--space", f"{postgres.dsn}&space=one", generations=1)["run"])


def test_a_run_has_one_digest_wherever_its_space_is(local: Path, remote: Path) -> None:
    assert not (remote / "space.db").exists()
    assert digest(remote) == digest(local)


def test_commands_that_read_a_run_read_it_from_the_server(remote: Path) -> None:
    for command in ("audit", "replay", "watch --once", "space marks", "space verify", "resume"):
        name, *options = command.rsplit(" --", 1)
        words = [*name.split(), str(remote), *(f"--{option}" for option in options)]
        done = hyperspace(*words)
        assert done.returncode == 0, (command, done.stderr)


def test_an_export_holds_the_space_and_needs_no_server(
    remote: Path, local: Path, tmp_path: Path
) -> None:
    done = hyperspace("export", remote, "--out", tmp_path / "run.zip")
    assert done.returncode == 0, done.stderr
    with ZipFile(tmp_path / "run.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    (record,) = (tmp_path / "unpacked").rglob("run_config.json")
    assert (record.parent / "space.db").is_file()
    assert digest(record.parent) == digest(local)


def test_runs_side_by_side_on_one_database_do_not_see_each_other(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    runs: dict[int, Path] = {}

    def play(seed: int) -> None:
        result = pair(tmp_path, "--space", postgres.dsn, generations=1, seed=seed)
        runs[seed] = Path(result["run"])

    threads = [threading.Thread(target=play, args=(seed,)) for seed in (7, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {json.loads((run / "run_config.json").read_text())["space"] for run in runs.values()}
    assert len(names) == 2
    for seed, run in runs.items():
        assert digest(run) == pair(tmp_path / "alone", generations=1, seed=seed)["digest"]


def test_a_password_in_the_address_is_refused_and_is_nowhere(tmp_path: Path) -> None:
    address = "postgresql://me:s3cret@localhost/db"
    models = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    done = hyperspace("pair", *models, "--space", address, "--results", tmp_path)
    assert "PGPASSWORD" in failed(done, 2)
    assert "s3cret" not in done.stderr + done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_password_of_the_environment_is_in_no_file_of_the_run(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "s3cret-of-mine")
    run = Path(pair(tmp_path, "--space", postgres.dsn, generations=1, seed=9)["run"])
    files = [path for path in run.rglob("*") if path.is_file()]
    assert files
    assert not any(b"s3cret-of-mine" in path.read_bytes() for path in files)


def test_another_space_than_the_run_has_is_refused(remote: Path, postgres: PostgresServer) -> None:
    results, options = remote.parents[2], ("--generations", "1", "--seed", "3")
    words = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality", *options)
    other = f"{postgres.dsn}&space=another"
    done = hyperspace("pair", *words, "--space", other, "--results", results)
    assert "space=" in failed(done, 2)


def test_a_space_with_another_run_is_refused_and_nothing_is_left(
    remote: Path, tmp_path: Path
) -> None:
    space = json.loads((remote / "run_config.json").read_text())["space"]
    words = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    other = ("--fallback", "none", "--generations", "1", "--seed", "3", "--space", space)
    told = failed(hyperspace("pair", *words, *other, "--results", tmp_path), 2)
    assert f"{space} holds a run with fallback='best', and you ask for fallback='none'" in told
    assert "another --results folder with another space=NAME in --space" in told
    assert list(tmp_path.iterdir()) == []


def test_a_sandbox_of_another_kind_is_refused_and_nothing_is_left(
    remote: Path, tmp_path: Path
) -> None:
    space = json.loads((remote / "run_config.json").read_text())["space"]
    words = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    other = ("--generations", "1", "--seed", "3", "--space", space, "--sandbox", "process")
    told = failed(hyperspace("pair", *words, *other, "--results", tmp_path), 2)
    assert "and you ask for sandbox='process'" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_new", [True, False])
def test_a_folder_with_files_of_somebody_else_is_refused_and_left_as_it_is(
    postgres: PostgresServer, remote: Path, tmp_path: Path, is_new: bool
) -> None:
    name = "never_begun" if is_new else "one"
    run = tmp_path / remote.relative_to(remote.parents[2])
    (run / "start").mkdir(parents=True)
    (run / "start/notes.txt").write_text("mine")
    words = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    words += ("--generations", "1", "--seed", "3", "--results", str(tmp_path))
    told = failed(hyperspace("pair", *words, "--space", f"{postgres.dsn}&space={name}"), 2)
    assert f"{run} is not empty and holds no run" in told
    assert [path.name for path in run.rglob("*")] == ["start", "notes.txt"]


def test_a_run_that_has_lost_its_record_alone_is_given_it_back(
    remote: Path, tmp_path: Path
) -> None:
    space = json.loads((remote / "run_config.json").read_text())["space"]
    run = tmp_path / remote.relative_to(remote.parents[2])
    shutil.copytree(remote, run)
    (run / "run_config.json").unlink()
    assert pair(tmp_path, "--space", space, generations=1)["digest"] == digest(remote)
    assert json.loads((run / "run_config.json").read_text())["space"] == space


def test_a_run_that_was_killed_while_it_was_made_again_is_made_again(
    remote: Path, tmp_path: Path
) -> None:
    space = json.loads((remote / "run_config.json").read_text())["space"]
    run = tmp_path / remote.relative_to(remote.parents[2])
    run.mkdir(parents=True)
    (run / "limits.json").write_text("{")
    (run / "run_config.sig").write_text("")
    (run / ".run_config.json.12345.tmp").write_text("{")
    assert pair(tmp_path, "--space", space, generations=1)["digest"] == digest(remote)


def test_a_server_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    words = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    address = "postgresql://nobody@/x?host=/nowhere"
    done = hyperspace("pair", *words, "--space", address, "--results", tmp_path)
    assert "does not answer" in failed(done, 1)


def test_the_folder_of_somebody_else_does_not_name_a_server(remote: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "run_config.json").write_bytes((remote / "run_config.json").read_bytes())
    done = hyperspace("digest", copy)
    assert "that server is not asked" in failed(done, 2)
    assert [path.name for path in copy.iterdir()] == ["run_config.json"]
