"""The page of a trace, over HTTP: call by call, searched, whole texts, and what is not there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dashboards import Client, dashboard
from tests.support.runs.published_runs import POINTER, Generation, conversation, write_run

CODE = "THRESHOLD = 3\n"
HOSTILE = "</pre><script>alert(1)</script>\x1b[2J\u202e"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    talk = conversation(("cat a.py", f"said {HOSTILE}"), ("ls", "y" * 20_000), "Done.")
    many = conversation(*((f"cat {number}", "x") for number in range(50)))
    agents = {
        "a": [Generation(CODE, calls=None), Generation(CODE, calls=talk)],
        "b": [Generation(CODE, calls=many), Generation(CODE, calls=POINTER)],
    }
    write_run(tmp_path / "results" / "a_vs_b" / "seed1", agents)
    return tmp_path / "results"


@pytest.fixture
def client(results: Path, tmp_path: Path) -> Iterator[Client]:
    with dashboard(results, tmp_path / "cache") as client:
        yield client


def trace(client: Client, agent: str, generation: object, query: str = "") -> str:
    run = client.get("/api/runs").json()["runs"][0]["id"]
    return f"/runs/{run}/agents/{agent}/generations/{generation}/trace{query}"


def test_calls_stand_below_each_other_with_ids_that_can_be_linked_to(client: Client) -> None:
    page = client.get(trace(client, "a", 1)).text
    assert [f'id="line-{line}"' in page for line in (1, 2, 3, 4)] == [True, True, True, False]
    assert "3 calls" in page and "Modify the code." in page and "cat a.py" in page


def test_what_was_said_is_text_and_never_markup(client: Client) -> None:
    page = client.get(trace(client, "a", 1)).text
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
    assert "\x1b" not in page and "\u202e" not in page


def test_a_trace_is_paged_and_a_line_begins_a_page(client: Client) -> None:
    first = client.get(trace(client, "b", 0)).text
    assert 'id="line-20"' in first and 'id="line-21"' not in first and "?from=21" in first
    later = client.get(trace(client, "b", 0, "?from=45")).text
    assert 'id="line-45"' in later and 'id="line-44"' not in later and "?from=25" in later


def test_a_long_text_is_cut_and_stands_whole_on_a_page_of_its_own(client: Client) -> None:
    page = client.get(trace(client, "a", 1)).text
    assert "y" * 20_000 not in page and "whole=2&amp;field=result-0" in page
    assert "y" * 20_000 in client.get(trace(client, "a", 1, "?whole=2&field=result-0")).text
    assert "What" not in client.get(trace(client, "a", 1, "?whole=3")).text


def test_words_in_a_trace_are_found_and_lead_to_their_line(client: Client) -> None:
    hits = client.get(trace(client, "b", 0, "?q=CAT+41")).text
    assert "from=42&amp;find=CAT+41#line-42" in hits and "<mark>cat 41</mark>" in hits
    shown = client.get(trace(client, "b", 0, "?from=42&find=cat+41")).text
    assert 'name="q" value="cat 41"' in shown  # why words stand out
    assert "<mark>cat 41</mark>" in shown and "<details open>" in shown
    assert "Nothing here holds" in client.get(trace(client, "b", 0, "?q=zebra")).text


@pytest.mark.parametrize(
    ("agent", "generation", "query", "status"),
    [
        ("a", 9, "", 404),
        ("z", 0, "", 404),
        ("..", 0, "", 404),
        ("a", "-1", "", 404),
        ("a", "%2e%2e", "", 404),
        ("a", 1, "?whole=77", 404),
        ("a", 1, "?whole=1&field=nothing", 404),
        ("a", 1, "?from=minus", 400),
        ("a", 1, f"?q={'x' * 300}", 400),
    ],
)
def test_what_is_not_there_is_said(
    client: Client, agent: str, generation: object, query: str, status: int
) -> None:
    assert client.get(trace(client, agent, generation, query)).status == status


def test_a_trace_that_is_missing_or_was_not_fetched_says_so(client: Client) -> None:
    assert "This trace is missing" in client.get(trace(client, "a", 0)).text
    assert "git-lfs pointer" in client.get(trace(client, "b", 1)).text


def test_json_holds_what_was_said_only_where_that_is_asked_for(client: Client) -> None:
    address = f"/api{trace(client, 'a', 1)}"
    told, whole = client.get(address).text, client.get(f"{address}?content=1").text
    assert "Modify the code" not in told and "Modify the code" in whole
    page = json.loads(told)
    assert [call["tools"][0]["name"] for call in page["calls"][:2]] == ["bash", "bash"]
    assert page["totals"]["calls"] == 3


def test_a_link_in_place_of_a_trace_or_a_folder_is_not_followed(
    client: Client, results: Path
) -> None:
    run, secret = results / "a_vs_b" / "seed1", results.parent / "secret.jsonl"
    secret.write_text(json.dumps({"model": "m", "response": "sesame"}) + "\n")
    path = run / "a" / "gen_1" / "llm_calls.jsonl"
    path.unlink()
    path.symlink_to(secret)
    (run / "c").symlink_to(run / "a")
    assert "sesame" not in client.get(trace(client, "a", 1)).text
    assert client.get(trace(client, "c", 1)).status != 200


def test_a_trace_that_grows_and_one_that_is_written_anew_are_shown_as_they_are(
    client: Client, results: Path
) -> None:
    path = results / "a_vs_b" / "seed1" / "a" / "gen_1" / "llm_calls.jsonl"
    assert "3 calls" in client.get(trace(client, "a", 1)).text
    with path.open("a") as file:
        file.write(json.dumps(conversation("More.")[0]) + "\n")
    assert "4 calls" in client.get(trace(client, "a", 1)).text
    path.write_text(json.dumps(conversation("New.")[0]) + "\n")
    assert "1 call," in client.get(trace(client, "a", 1)).text
