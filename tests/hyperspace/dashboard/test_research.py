"""Research runs in the dashboard: the list, their page, an idea, what is live, as JSON."""

import http.client
import json
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hyperspace.dashboard.api.ideas import IdeaAnswer, IdeaList
from hyperspace.dashboard.views.registry import VIEWS
from hyperspace.research.loop.folder import ResearchFolder
from hyperspace.research.loop.run import read_research_record
from hyperspace.research.loop.space import working_in
from tests.hyperspace.dashboard.json_schema import misfit
from tests.replication.report.runs import ours
from tests.support.dashboards import Client, dashboard
from tests.support.hostile.research_run import IDEAS, under_way, write_research_run

RUN = "small/search/seed7"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("research") / "results"
    write_research_run(folder / RUN, "accuracy")
    ours(folder, "plain", 1, [0.2, 0.4])
    return folder


@pytest.fixture(scope="module")
def client(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Client]:
    with dashboard(results, tmp_path_factory.mktemp("cache")) as client:
        yield client


def ids(client: Client) -> dict[str, str]:
    return {run["name"]: run["id"] for run in client.get("/api/runs").json()["runs"]}


def test_it_is_in_the_list_of_runs_with_state_best_and_curve(client: Client) -> None:
    listed = {run["name"]: run["overview"] for run in client.get("/api/runs").json()["runs"]}
    run = listed[RUN]
    assert (run["state"], run["closed"], run["planned"]) == ("stopped", 3, 6)
    assert (run["best_val"], run["refused"], run["spark"][-1]) == (0.3, 0, 0.3)
    page = client.get("/").text
    assert f"/runs/{ids(client)[RUN]}" in page and "hyperspace resume" in page


def test_its_page_shows_the_curve_and_ideas_best_first(client: Client) -> None:
    address = f"/runs/{ids(client)[RUN]}"
    page = client.get(address).text
    assert "accuracy" in page and "0.3 (idea 3)" in page and "hyperspace resume" in page
    assert f'href="{address}/ideas/3"' in page and 'data-unit="idea"' in page
    order = [page.index(f'ideas/{number}">idea') for number in (3, 1, 2)]
    assert order == sorted(order)
    assert "/lineage" not in page, "the navigation leads to what there is"
    by_number = client.get(f"{address}?order=number").text
    assert by_number.index(f'{address}/ideas/1">idea') < by_number.index(f'{address}/ideas/3">idea')
    assert client.get(f"{address}?order=size").status == 400


def test_an_idea_has_its_words_diff_tries_parent_and_log(client: Client) -> None:
    address = f"/runs/{ids(client)[RUN]}/ideas"
    page = client.get(f"{address}/2").text
    for part in (
        "In words",
        "Diff from the repository",
        "Tries",
        "refused (frozen)",
        "Log",
        "SHA-256",
    ):
        assert part in page
    assert "<script>alert(1)" not in page and "&lt;script&gt;alert(1)" in page
    assert client.get(f"{address}/3").status == 200
    for wrong in ("4", "00", "02", "x", "-1", "9" * 30):
        refused = client.get(f"{address}/{wrong}")
        assert refused.status == 404 and "the last one that is closed is 3" in refused.text


def test_pages_about_agents_say_that_it_is_a_research_run(client: Client) -> None:
    runs = ids(client)
    for view in VIEWS:
        if view.of not in ("research", "any") and view.path.startswith("/runs/{run}/"):
            path = view.path.replace("{run}", runs[RUN]).replace("{agent}", "a")
            answer = client.get(path.replace("{generation}", "0"))
            assert answer.status == 404 and "this is a research run" in answer.text, path
    other = next(number for name, number in runs.items() if name != RUN)
    for number, code in (("0", 200), ("00", 404), ("01", 404)):  # one address for one thing
        page = client.get(f"/runs/{other}/agents/climber/generations/{number}")
        assert page.status == code
    assert "has no ideas" in client.get(f"/runs/{other}/ideas/1").text
    assert client.get(f"/api/runs/{other}/ideas").status == 404
    assert client.get(f"/api/runs/{runs[RUN]}/audit").status == 404


def test_json_has_texts_only_where_they_are_asked_for(client: Client) -> None:
    run = f"/api/runs/{ids(client)[RUN]}"
    described = client.get("/api/openapi.json").json()
    kinds: tuple[tuple[str, Any], ...] = (("/ideas", IdeaList), ("/ideas/2", IdeaAnswer))
    for below, kind in kinds:
        for query in ("", "?content=1"):
            answer = client.get(f"{run}{below}{query}")
            assert answer.status == 200
            msgspec.json.decode(answer.text, type=kind, strict=True)
            path = "/api/runs/{run}" + below.replace("/2", "/{idea}")
            responses = described["paths"][path]["get"]["responses"]
            schema = responses["200"]["content"]["application/json"]["schema"]
            assert misfit(answer.json(), schema, described) == ""
    plain, whole = (client.get(f"{run}/ideas{query}").json() for query in ("", "?content=1"))
    assert {(idea["title"], idea["reason"]) for idea in plain["ideas"]} == {("", "")}
    assert all("<script>" in idea["title"] for idea in whole["ideas"])
    assert client.get(f"{run}/ideas/2").json()["texts"] is None
    texts = client.get(f"{run}/ideas/2?content=1").json()["texts"]
    assert all("<script>" in texts[name] for name in ("text", "diff", "reason", "log"))
    metrics = client.get(f"{run}/metrics").json()
    assert metrics["agents"][0]["series"]["best"] == [0.0, 0.1, 0.1, 0.3]
    assert client.get(run).json()["overview"]["best_val"] == 0.3


def test_what_is_under_way_is_live_while_somebody_works_on_it(
    client: Client, results: Path
) -> None:
    run, folder = ids(client)[RUN], ResearchFolder(results / RUN)
    folder.now.write_bytes(under_way())
    assert "its job runs" not in client.get(f"/runs/{run}").text, "a kill left it behind"
    with working_in(folder.space, read_research_record(folder.root).configuration):
        with closing(http.client.HTTPConnection("127.0.0.1", client.settings.port)) as connection:
            connection.request("GET", f"/api/runs/{run}/events", headers=client.headers())
            answer = connection.getresponse()
            assert answer.status == 200
            lines = iter(answer.readline, b"")
            data = next(line for line in lines if line.startswith(b"data: "))
        page = client.get(f"/runs/{run}").text
        ideas = client.get(f"/api/runs/{run}/ideas").json()
    message = json.loads(data.removeprefix(b"data: "))
    assert message["last"] == [IDEAS]
    text = message["cells"]["now"][0]
    assert text.startswith("idea 4: its job runs since 00:00:00 UTC") and "alert(" in text
    assert [mark[0] for mark in message["marks"]] == sorted(mark[0] for mark in message["marks"])
    assert "its job runs" in page and "running" in page
    assert (ideas["under_way"][0]["number"], ideas["under_way"][0]["tail"]) == (4, [])
    folder.now.unlink()


def test_a_link_in_the_run_is_a_sentence(results: Path, tmp_path: Path) -> None:
    run = write_research_run(tmp_path / "results" / "seed7", "accuracy")
    (run / "ideas" / "x").symlink_to(tmp_path)
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        number = next(iter(ids(client).values()))
        answer = client.get(f"/runs/{number}")
    assert answer.status == 409 and "links are not followed; take it away" in answer.text
