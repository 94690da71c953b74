"""Words are found in the traces and the code of runs, by an index that follows the files."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from hyperspace.dashboard.results.trace_cache import HeldTraces
from hyperspace.dashboard.results.tree import ResultsTree
from hyperspace.dashboard.search.database import FILE, opened_index
from hyperspace.dashboard.search.filling import Filler
from tests.support.dashboards import Client, dashboard
from tests.support.runs.published_runs import POINTER, Generation, conversation, write_run

CODE = "import math\nTHRESHOLD = 3  # zebra\n"


def write(results: Path, seed: int, said: str) -> Path:
    talk = conversation((f"echo {said}", f"{said} it says"), "Done.")
    turns = [Generation(CODE, calls=POINTER), Generation(CODE, calls=talk)]
    return write_run(results / "a_vs_b" / f"seed{seed}", {"a": turns, "b": [Generation(CODE)]})


@pytest.fixture
def results(tmp_path: Path) -> Path:
    write(tmp_path / "results", 1, "giraffe")
    write(tmp_path / "results", 2, "Elephant")
    return tmp_path / "results"


@pytest.fixture
def client(results: Path, tmp_path: Path) -> Iterator[Client]:
    with dashboard(results, tmp_path / "cache") as client:
        yield client


def found(client: Client, query: str, run: str = "", **more: object) -> dict[str, Any]:
    below = f"runs/{run}/" if run else ""
    return client.get(f"/api/{below}search?{urlencode({'q': query} | more)}").json()


def places(answer: dict[str, Any]) -> list[tuple[str, str, str, int, str]]:
    names = ("run_name", "agent", "generation", "line", "field")
    return [tuple(hit[name] for name in names) for hit in answer["hits"]]


def run_ids(client: Client) -> list[str]:
    return [run["id"] for run in client.get("/api/runs").json()["runs"]]


def test_words_are_found_in_all_runs_whatever_their_case(client: Client) -> None:
    assert places(found(client, "eLEPHant")) == [
        ("a_vs_b/seed2", "a", "1", 1, "arguments-0"),
        ("a_vs_b/seed2", "a", "1", 1, "result"),
    ]


def test_a_run_can_be_searched_alone(client: Client) -> None:
    first, second = run_ids(client)
    assert places(found(client, "elephant", first)) == []
    assert len(places(found(client, "elephant", second))) == 2


def test_code_is_found_by_its_line_once_where_it_is_the_same(client: Client) -> None:
    first, _ = run_ids(client)
    hits = found(client, "zebra", first)["hits"]
    assert [(hit["agent"], hit["generation"], hit["line"]) for hit in hits] == [
        ("a", "0", 2),
        ("b", "0", 2),
    ]


def test_the_words_around_come_only_where_they_are_asked_for(client: Client) -> None:
    assert all(hit["excerpt"] is None for hit in found(client, "giraffe")["hits"])
    excerpt = found(client, "giraffe", content=1)["hits"][1]["excerpt"]
    assert (excerpt["hit"], excerpt["after"]) == ("giraffe", " it says")


@pytest.mark.parametrize(
    "query",
    [
        'gir" OR "ele',
        "giraffe NOT x",
        "gir*",
        "body:giraffe",
        "NEAR(gir ele)",
        "^gir",
        "((((",
        "a\x00b",
        "'; --",
    ],
)
def test_a_query_is_a_text_and_never_the_language_of_the_index(client: Client, query: str) -> None:
    answer = found(client, query)
    assert (answer["hits"], answer["problem"]) == ([], "")


def test_a_query_that_is_too_short_or_too_long_is_refused_in_a_sentence(client: Client) -> None:
    assert "at least 3 letters" in found(client, "ab")["error"]
    assert "200" in found(client, "x" * 201)["error"]
    assert "at least 3 letters" in client.get("/search?q=ab").text


def test_what_is_written_later_is_found_and_what_is_gone_is_not(
    client: Client, results: Path
) -> None:
    assert len(found(client, "giraffe")["hits"]) == 2
    trace = results / "a_vs_b" / "seed1" / "a" / "gen_1" / "llm_calls.jsonl"
    trace.write_text(trace.read_text().replace("giraffe", "ostrich"))
    (trace.parents[1] / "gen_2").mkdir()
    assert (len(found(client, "giraffe")["hits"]), len(found(client, "ostrich")["hits"])) == (0, 2)
    shutil.rmtree(results / "a_vs_b" / "seed2")
    with dashboard(results, client.settings.cache) as later:  # at once, the list is the one before
        assert found(later, "elephant")["hits"] == []


def test_the_page_leads_to_the_line_and_says_which_traces_hold_nothing(client: Client) -> None:
    page = client.get("/search?q=giraffe").text
    run = run_ids(client)[0]
    trace = f"/runs/{run}/agents/a/generations/1/trace?from=1&amp;find=giraffe#line-1"
    assert trace in page and "<mark>giraffe</mark>" in page
    assert "is a git-lfs pointer" in page
    assert "Nothing holds" in client.get("/search?q=hippopotamus").text


def test_a_text_is_found_across_the_pieces_that_it_lies_in(tmp_path: Path) -> None:
    talk = conversation(("cat", "x" * 63_995 + "hippopotamus" + "y" * 70_000), "Done.")
    write_run(tmp_path / "r" / "seed1", {"a": [Generation(CODE, calls=talk)]})
    with dashboard(tmp_path / "r", tmp_path / "cache") as client:
        assert len(found(client, "hippopotamus")["hits"]) == 1


def test_filling_goes_on_where_it_stopped(results: Path, tmp_path: Path) -> None:
    places = ResultsTree(results).places()
    with opened_index(tmp_path / "cache") as database:
        stopped = Filler(database, HeldTraces(), -1.0).fill(places)
        assert (stopped.done, stopped.of, stopped.problem) == (0, 2, "")
        whole = Filler(database, HeldTraces(), 60.0).fill(places)
        assert (whole.done, whole.of) == (2, 2)
        assert len(list(database.find("giraffe", None, 0, 50))) == 2
        again = Filler(database, HeldTraces(), -1.0).fill(places)
        assert (again.done, again.of) == (2, 2)


def test_an_index_that_is_damaged_or_of_another_version_is_made_again(client: Client) -> None:
    assert found(client, "giraffe")["hits"]
    (client.settings.cache / FILE).write_bytes(b"no database" * 1000)
    assert len(found(client, "giraffe")["hits"]) == 2


def test_an_index_that_cannot_be_made_says_so_and_the_page_stands(
    results: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with dashboard(results, tmp_path / "file" / "cache") as client:
        assert "cannot be used" in found(client, "giraffe")["problem"]
        page = client.get("/search?q=giraffe")
        assert (page.status, "cannot be used" in page.text) == (200, True)


def test_nothing_is_read_through_a_link(client: Client, results: Path) -> None:
    outside = results.parent / "outside"
    outside.mkdir()
    (outside / "task_agent.py").write_text("# hippopotamus\n")
    repo = results / "a_vs_b" / "seed1" / "a" / "gen_1" / "repo"
    shutil.rmtree(repo)
    repo.symlink_to(outside)
    assert found(client, "hippopotamus")["hits"] == []
    assert len(found(client, "elephant")["hits"]) == 2


def test_nothing_is_written_into_a_run(client: Client, results: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in results.rglob("*")}
    found(client, "giraffe")
    assert {path: path.stat().st_mtime_ns for path in results.rglob("*")} == before
