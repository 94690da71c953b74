"""A page puts runs away and brings them back: asked by POST alone, and never a run that plays."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import take_lease
from hyperspace.kernel.state.opening import RunSpace
from tests.support.dashboards import Client, dashboard
from tests.support.runs.begun import begun


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return begun(tmp_path / "results" / "repo_quality" / "<b>pair" / "seed1")


@pytest.fixture
def client(run: Path, tmp_path: Path) -> Iterator[Client]:
    with dashboard(tmp_path / "results", tmp_path / "cache", steer=True) as client:
        yield client


def id_of(client: Client) -> str:
    return str(client.get("/api/runs").json()["runs"][0]["id"])


def test_a_run_is_put_away_and_brought_back_as_its_page_says(client: Client, run: Path) -> None:
    run_id = id_of(client)
    assert "Move to the trash folder" in client.get(f"/runs/{run_id}").text
    moved = client.change(f"/api/runs/{run_id}/trash", {}, "put-away-key")
    assert moved.status == 200, moved.text
    assert not run.exists() and Path(moved.json()["folder"]).is_dir()
    assert moved.json()["undo"].startswith("hyperspace trash --restore ")
    assert client.get("/api/runs").json()["total"] == 0
    assert client.get(f"/runs/{run_id}").status == 404
    again = client.change(f"/api/runs/{run_id}/trash", {}, "put-away-key")
    assert again.text == moved.text  # the same key: the same deed
    page = client.get("/trash").text
    assert "&lt;b&gt;pair" in page and "<b>pair" not in page
    (entry,) = client.get("/api/trash").json()["runs"]
    back = client.change("/api/trash/restore", {"entry": entry["entry"]}, "bring-back-key")
    assert back.status == 200, back.text
    assert run.is_dir()
    assert client.get(back.json()["address"]).status == 200
    assert "Nothing is in the trash folder" in client.get("/trash").text


def test_a_run_that_is_played_is_refused(client: Client, run: Path) -> None:
    space = RunSpace(RunFolder(run).space, read_record_of(run).configuration)
    lease = take_lease(space.marks.space, run)
    answer = client.change(f"/api/runs/{id_of(client)}/trash", {}, "put-away-key")
    assert answer.status == 422
    assert "is being worked on" in answer.json()["error"]
    lease.release()
    space.close()
    assert run.is_dir()


def test_a_run_that_cannot_be_shown_can_be_put_away(client: Client, run: Path) -> None:
    run_id = id_of(client)
    (run / "link").symlink_to("/etc")
    assert client.get(f"/runs/{run_id}").status == 409
    assert client.change(f"/api/runs/{run_id}/trash", {}, "put-away-key").status == 200


def test_only_what_is_below_the_folder_and_was_listed_is_moved(client: Client, run: Path) -> None:
    for number, name in enumerate(("..", "%2e%2e", "0" * 12)):
        answer = client.change(f"/api/runs/{name}/trash", {}, f"put-away-{number}")
        assert answer.status == 404
    for entry in ("..", "../../repo_quality", "x" * 100):
        answer = client.change("/api/trash/restore", {"entry": entry}, f"key-{len(entry)}-long")
        assert answer.status == 422
    assert run.is_dir()


def test_without_steer_nothing_is_moved(run: Path, tmp_path: Path) -> None:
    with dashboard(tmp_path / "results", tmp_path / "cache") as reading:
        run_id = id_of(reading)
        assert reading.change(f"/api/runs/{run_id}/trash", {}, "put-away-key").status == 405
        page = reading.get("/").text + reading.get(f"/runs/{run_id}").text
        assert "trash" not in page.lower()
    assert run.is_dir()
