"""Pages of a run that is too long to be read whole."""

from collections.abc import Generator

import pytest

from benchmarks.dashboard.made_fleet import make_fleet
from tests.support.dashboards import Client, dashboard

LONG_BYTES = 500_000  # of archive.jsonl, of which a line that is being written counts


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Generator[Client]:
    folder = tmp_path_factory.mktemp("results")
    make_fleet(folder / "made" / "seed1", agents=3, last=8)
    with (folder / "made" / "seed1" / "agent00" / "archive.jsonl").open("ab") as archive:
        archive.write(b" " * LONG_BYTES)
    with dashboard(folder, tmp_path_factory.mktemp("cache")) as client:
        yield client


@pytest.fixture
def run(client: Client) -> str:
    (run,) = client.get("/api/runs").json()["runs"]
    return f"/runs/{run['id']}"


def test_a_generation_shows_its_neighbours_its_parent_and_whose_its_lines_are(
    client: Client, run: str
) -> None:
    page = client.get(f"{run}/agents/agent01/generations/5")
    assert page.status == 200, page.text
    assert all(f"agents/agent01/generations/{at}" in page.text for at in (4, 6))
    assert "changes since agent01 generation" in page.text
    assert "agent01_5 =" in page.text
    assert "read on" not in page.text


def test_a_generation_that_is_not_there_is_told(client: Client, run: str) -> None:
    answer = client.get(f"{run}/agents/agent01/generations/9")
    assert answer.status == 404
    assert "its last is 8" in answer.text


def test_two_generations_of_two_agents_are_compared(client: Client, run: str) -> None:
    page = client.get(f"{run}/diff?a=agent00:3&b=agent02:7")
    assert page.status == 200
    assert "agent02_7 =" in page.text


def test_adoptions_say_how_they_are_had(client: Client, run: str) -> None:
    page = client.get(f"{run}/adoptions")
    assert page.status == 200
    assert "hyperspace analyze" in page.text
    answer = client.get(f"/api{run}/adoptions").json()
    assert not answer["is_analysed"]


def test_the_guard_tells_what_the_run_wrote_down_and_that_it_is_not_audited(
    client: Client, run: str
) -> None:
    page = client.get(f"{run}/guard")
    assert "hyperspace audit" in page.text
    audit = client.get(f"/api{run}/audit").json()
    assert audit["verified"] is None
    assert audit["entries"] is None


@pytest.mark.parametrize("view", ["", "/lineage", "/marks", "/guard", "/spending"])
def test_every_other_view_opens(client: Client, run: str, view: str) -> None:
    assert client.get(f"{run}{view}").status == 200
