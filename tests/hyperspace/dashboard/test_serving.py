"""The server answers with pages and with JSON about the runs below a folder."""

import threading
from pathlib import Path

import pytest

from tests.support.command import pair
from tests.support.dashboards import dashboard


@pytest.mark.long
def test_a_run_is_listed_and_opens(tmp_path: Path) -> None:
    pair(tmp_path / "results")
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        listed = client.get("/api/runs").json()["runs"]
        assert [run["name"] for run in listed] == ["repo_quality/tinker_vs_magpie/seed3"]
        assert listed[0]["name"] in client.get("/").text
        page = client.get(f"/runs/{listed[0]['id']}").text
        assert "tinker" in page and "magpie" in page
        assert client.get("/runs/abc").status == 404


def test_its_loop_is_watched_while_it_serves(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        assert client.get("/").status == 200
        assert "blocked-loop" in {thread.name for thread in threading.enumerate()}
    assert "blocked-loop" not in {thread.name for thread in threading.enumerate()}
