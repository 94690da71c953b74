"""The server answers with pages and with JSON about the runs below a folder."""

from pathlib import Path

import pytest

from tests.support.command import pair
from tests.support.dashboards import dashboard

pytestmark = pytest.mark.long  # plays a run


def test_a_run_is_listed_and_opens(tmp_path: Path) -> None:
    pair(tmp_path / "results")
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        listed = client.get("/api/runs").json()["runs"]
        assert [run["name"] for run in listed] == ["repo_quality/tinker_vs_magpie/seed3"]
        assert listed[0]["name"] in client.get("/").text
        page = client.get(f"/runs/{listed[0]['id']}").text
        assert "tinker" in page and "magpie" in page
        assert client.get("/runs/abc").status == 404
