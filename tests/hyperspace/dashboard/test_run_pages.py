"""The list of runs, a run, its spending and what is live of it, over HTTP, of a played pair."""

import http.client
import json
import shutil
from collections.abc import Generator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from hyperspace.dashboard.live.stream import MOST_STREAMS
from tests.support.command import pair
from tests.support.dashboards import Client, dashboard
from tests.support.runs.going_on import playing

pytestmark = pytest.mark.long  # plays a run


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "results"
    pair(folder, generations=5, seed=42)
    for name, record in (("broken", '{"format": 1'), ("newer", '{"format": 99}')):
        (folder / name / "seed1").mkdir(parents=True)
        (folder / name / "seed1" / "run_config.json").write_text(record)
    return folder


@pytest.fixture
def client(results: Path, tmp_path: Path) -> Generator[Client]:
    with dashboard(results, tmp_path / "cache") as client:
        yield client


def run_id(client: Client) -> str:
    (run,) = client.get("/api/runs?search=seed42").json()["runs"]
    return run["id"]


def test_all_runs_are_listed_and_those_that_cannot_be_read_say_why(client: Client) -> None:
    runs = {run["name"]: run["overview"] for run in client.get("/api/runs").json()["runs"]}
    assert runs["broken/seed1"]["state"] == runs["newer/seed1"]["state"] == "damaged"
    pair_run = runs["repo_quality/tinker_vs_magpie/seed42"]
    assert (pair_run["state"], pair_run["closed"], pair_run["planned"]) == ("finished", 10, 10)
    assert pair_run["adoptions"] == 1 and pair_run["spark"][-1] == pair_run["best_val"] == 0.95
    page = client.get("/").text
    assert "format 99" in page and "hyperspace export" in page


def test_runs_are_found_by_name_and_listed_a_page_at_a_time(client: Client) -> None:
    assert client.get("/api/runs?search=NEWER").json()["total"] == 1
    page = client.get("/api/runs?first=1&count=1").json()
    assert page["total"] == 3 and len(page["runs"]) == 1
    assert client.get("/api/runs?order=size").status == 400


def test_a_run_shows_what_its_agents_are_asked_as_text(client: Client, results: Path) -> None:
    (run,) = results.glob("repo_quality/*/seed42")
    said = (run / "task.md").read_text()
    page = client.get(f"/runs/{run_id(client)}").text
    assert "What the agents are asked" in page and said.splitlines()[0] in page
    (run / "task.md").write_text("<script>alert(1)</script>\u202e")
    try:
        page = client.get(f"/runs/{run_id(client)}").text
    finally:
        (run / "task.md").write_text(said)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in page


def test_a_run_shows_curves_arrows_agents_and_marks_without_a_script(client: Client) -> None:
    page = client.get(f"/runs/{run_id(client)}").text
    assert page.count("<polyline") == 4 and 'class="arrow"' in page
    assert f"/runs/{run_id(client)}/adoptions#magpie-5-tinker-4" in page
    assert f"/runs/{run_id(client)}/agents/tinker/generations/4" in page
    assert "generations/magpie" in page  # its marks
    best = page.partition("best validation score")[2].partition("</dd>")[0]
    assert "0.950 (tinker gen 4, test " in best
    assert f"/runs/{run_id(client)}/agents/tinker/generations/4" in best


def test_metrics_have_the_series_that_are_asked_for(client: Client) -> None:
    address = f"/api/runs/{run_id(client)}/metrics"
    metrics = client.get(f"{address}?series=val,size,tokens&from=1&to=3").json()
    assert metrics["xs"] == [1, 2, 3]
    assert metrics["agents"][0]["series"]["val"] == [0.85, 0.85, 0.85]
    assert all(size > 1000 for size in metrics["agents"][1]["series"]["size"])
    (arrow,) = metrics["arrows"]
    assert (arrow["peer"], arrow["peer_generation"], arrow["ratio"]) == ("tinker", 4, 0.0)
    assert client.get(f"{address}?series=colour").status == 400
    assert client.get(f"{address}?columns=0").status == 200


def test_spending_is_told_by_agent_and_model_with_the_forecast(client: Client) -> None:
    spent = client.get(f"/api/runs/{run_id(client)}/spending").json()
    assert sum(row["total"]["calls"] for row in spent["by_agent"]) == spent["total"]["calls"] > 0
    assert [row["provider"] for row in spent["by_model"]] == ["offline", "offline"]
    assert spent["forecast"]["fact"]["calls"] == spent["total"]["calls"]
    page = client.get(f"/runs/{run_id(client)}/spending").text
    assert "Forecast and fact" in page and "<polyline" in page


def events(client: Client, run: str, after: str = "") -> Generator[dict[str, Any]]:
    """What is told of a run, message by message."""
    connection = http.client.HTTPConnection("127.0.0.1", client.settings.port, timeout=60)
    with closing(connection):
        headers = {**client.headers(), **({"Last-Event-ID": after} if after else {})}
        connection.request("GET", f"/api/runs/{run}/events", headers=headers)
        answer = connection.getresponse()
        assert answer.getheader("content-type", "").startswith("text/event-stream")
        while line := answer.readline():
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


def test_whoever_comes_is_told_how_a_run_stands_and_whoever_comes_again_no_old_marks(
    client: Client,
) -> None:
    run = run_id(client)
    first = next(events(client, run))
    assert first["cells"]["state"][0] == "finished" and first["last"] == [5, 5]
    assert first["marks"][-1][0] == first["sequence"]
    assert "marks" not in next(events(client, run, after=str(first["sequence"])))


def test_streams_asked_for_together_leave_connections_for_pages(client: Client) -> None:
    run = run_id(client)
    with ExitStack() as held:
        connections = [
            held.enter_context(
                closing(http.client.HTTPConnection("127.0.0.1", client.settings.port, timeout=60))
            )
            for _ in range(client.settings.limits.connections - 10)
        ]
        for connection in connections:
            connection.request("GET", f"/api/runs/{run}/events", headers=client.headers())
        first_lines = [connection.getresponse().readline() for connection in connections]
        assert first_lines.count(b"retry: 1500\n") == MOST_STREAMS
        assert client.get(f"/runs/{run}").status == 200


def test_generations_are_told_as_they_are_closed(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with playing(results, generations=3), dashboard(results, tmp_path / "cache") as client:
        (run,) = client.get("/api/runs").json()["runs"]
        closed: set[tuple[int, int]] = set()
        sequence = 0
        for message in events(client, run["id"]):
            assert message["sequence"] >= sequence
            sequence = message["sequence"]
            closed |= {(point[0], point[1]) for point in message.get("points", ())}
            if message.get("cells", {}).get("state", [""])[0] == "finished":
                break
        assert (0, 3) in closed and (1, 3) in closed


def test_a_run_that_was_moved_away_is_told(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "repo_quality", tmp_path / "results" / "repo_quality")
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        told = events(client, run_id(client))
        for _ in range(2):  # how it stands, and the first look at what is new
            assert next(told)["cells"]["state"][0] == "finished"
        (tmp_path / "results" / "repo_quality").rename(tmp_path / "moved")
        texts = (message["cells"]["state"][0] for message in told if "state" in message["cells"])
        then = next(text for text in texts if text != "finished")
        assert "is gone: it was moved or removed" in then


def test_an_empty_folder_and_a_missing_one_say_so(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        assert "There is no run below" in client.get("/").text
        shutil.rmtree(tmp_path / "results")
        assert "; there are 0 others" in client.get("/runs/0123456789ab").text
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        assert "is no folder" in client.get("/").text
