"""Marks and live review of a run that was played, over HTTP."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyperspace.dashboard.safety.changes import KEY_HEADER, TOKEN_HEADER
from tests.support.command import pair
from tests.support.dashboards import Answer, Client, dashboard
from tests.support.runs.published_runs import Generation, write_run
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long  # plays a run


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("results")
    pair(results)
    write_run(results / "published" / "seed1", {"a": [Generation("W = [1, 2]\n")]})
    return results


@pytest.fixture(scope="module")
def client(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with dashboard(results, tmp_path_factory.mktemp("cache"), steer=True) as client:
        yield client


def run_of(client: Client, name: str) -> str:
    return next(run["id"] for run in client.get("/api/runs").json()["runs"] if name in run["name"])


def test_the_space_of_a_run_verifies_and_is_shown_as_of_any_mark(client: Client) -> None:
    address = f"/runs/{run_of(client, 'tinker')}/marks"
    page = client.get(address).text
    assert "it verifies, and holds the head that summary.json names" in page
    assert "generations/tinker" in page and "This is the present" in page
    past = client.get(f"{address}?at=3").text
    assert "right after mark 3" in past and "mark=4" not in past
    one = client.get(f"{address}?mark=2").text
    assert "Mark 2: observation in code/tinker" in one and "class TaskAgent" in one
    assert client.get(f"{address}?mark=9999").status == 404
    assert client.get(f"{address}?at=x").status == 400


def test_marks_as_json_say_what_agents_wrote_only_where_that_is_asked_for(client: Client) -> None:
    address = f"/api/runs/{run_of(client, 'tinker')}/marks"
    told = client.get(f"{address}?at=4&scope=code").json()
    assert {mark["scope"].partition("/")[0] for mark in told["marks"]} == {"code"}
    assert {mark["author"] for mark in told["marks"]} <= {"tinker", "magpie"}
    assert not any(mark["said"] for mark in told["marks"])
    assert any(mark["said"] for mark in client.get(f"{address}?content=1").json()["marks"])


def test_a_run_without_a_space_says_so(client: Client) -> None:
    page = client.get(f"/runs/{run_of(client, 'published')}/marks")
    assert (page.status, "has no mark space" in page.text) == (404, True)


def posted(client: Client, run: str, what: dict[str, object], key: str = "0123456789") -> Answer:
    headers = {
        TOKEN_HEADER: client.session.change_token,
        KEY_HEADER: key,
        "Content-Type": "application/json",
    }
    return client.send("POST", f"/api/runs/{run}/review", headers, json.dumps(what).encode())


@needs_bubblewrap
def test_an_agent_answers_what_is_posted(client: Client) -> None:
    run = run_of(client, "tinker")
    page = client.get(f"/runs/{run}/review").text
    assert "sample-project" in page and "which costs nothing" in page
    assert "WEIGHTS" in page and "THRESHOLD" in page
    names = ("maintainability", "security", "test_coverage", "documentation", "simplicity")
    answer = posted(client, run, {"agent": "tinker", "inputs": dict.fromkeys(names, 1.0)})
    assert answer.json()["answer"] in ("accept", "reject")


def test_what_cannot_be_asked_is_said(client: Client) -> None:
    run = run_of(client, "tinker")
    refused = posted(client, run, {"agent": "nobody", "inputs": {}}, "key-of-another")
    assert (refused.status, "name one of its agents" in refused.text) == (400, True)
    assert posted(client, run, {"agent": "tinker"}, "key-of-a-third").status == 400
    page = client.get(f"/runs/{run_of(client, 'published')}/review").text
    assert "It cannot be asked" in page and "W" in page


def test_without_steer_no_code_runs(results: Path, tmp_path: Path) -> None:
    with dashboard(results, tmp_path / "cache") as client:
        run = run_of(client, "tinker")
        assert "--steer" in client.get(f"/runs/{run}/review").text
        assert posted(client, run, {"agent": "tinker", "inputs": {}}).status in (404, 405)
