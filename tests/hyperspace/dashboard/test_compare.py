"""Compare: the report's words and tables, curves over spending, and what cannot be compared."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from hyperspace.dashboard.reading.comparison import MOST_COMPARED
from hyperspace.runs.finding import read_scored
from replication.report.build import study_of
from tests.hyperspace.reporting.test_page import Outline
from tests.replication.report.runs import ours, solo
from tests.support.dashboards import Client, dashboard

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("results")
    for seed in (1, 2, 3):
        for name, vals in (("plain", [0.2, 0.4, 0.5]), ("freeze", [0.2, None, 0.3 + seed / 100])):
            spend(ours(base, name, seed, vals), calls=2 if name == "plain" else 3)
    for seed in (1, 2):
        solo(base, HOSTILE, seed, [0.0, 0.2, None, 0.5])
    return base


@pytest.fixture(scope="module")
def client(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with dashboard(results, tmp_path_factory.mktemp("cache")) as served:
        yield served


def spend(run: Path, calls: int) -> None:
    """Write a ledger of so many calls a generation, at half a dollar each."""
    rows: list[dict[str, Any]] = [{"kind": "ledger", "format": 2}]
    account = {"agent": "climber", "purpose": "modify", "model": "offline/climber"}
    tokens = {"prompt_tokens": 7, "completion_tokens": 3, "cached_tokens": 0}
    none = {"cache_write_tokens": 0, "reasoning_tokens": 0}
    for generation in (1, 2):
        for call in range(calls):
            ids = {"id": f"{generation}-{call}", "call_id": f"{call}", "generation": generation}
            ended = {"cost_usd": 0.5, "ended_utc": "2026-01-01T00:00:00.000+00:00"}
            rows.append({"kind": "settled", **ids, **account, **tokens, **none, **ended})
    (run / "ledger.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def ids_of(client: Client, part: str) -> list[str]:
    rows = client.get("/api/runs").json()["runs"]
    return [row["id"] for row in rows if part in row["name"]]


def test_a_folder_is_compared_in_the_words_of_the_report(client: Client, results: Path) -> None:
    shown = Outline(client.get("/compare?below=repo_quality/mix").text)
    (report,) = study_of(read_scored(results / "repo_quality"), str(results)).report.experiments
    assert report.verdict
    for sentence in (*report.verdict, *report.budget):
        assert sentence in shown.text
    svgs = [attributes for tag, attributes in shown.tags if tag == "svg"]
    assert len(svgs) >= 2


def test_the_api_says_what_the_report_says_with_curves_over_calls(client: Client) -> None:
    told = client.get("/api/compare?below=repo_quality/mix&over=calls").json()
    (experiment,) = told["report"]["experiments"]
    assert [arm["arm"] for arm in experiment["arms"]] == ["freeze", "plain"]
    freeze, plain = told["curves"][0]["curves"]
    assert plain["spent"] == [0, 2, 4] and plain["median"] == [0.2, 0.4, 0.5]
    assert freeze["spent"] == [0, 6] and freeze["low"] == pytest.approx([0.2, 0.31])
    assert freeze["high"] == pytest.approx([0.2, 0.33]) and freeze["seeds"] == [1, 2, 3]


def test_curves_lie_over_money_and_tokens_too(client: Client) -> None:
    usd = client.get("/api/compare?below=repo_quality&over=usd").json()["curves"][0]["curves"]
    assert usd[1]["spent"] == [0, 1, 2]
    tokens = client.get("/api/compare?below=repo_quality&over=tokens").json()["curves"][0]["curves"]
    assert tokens[1]["spent"] == [0, 20, 40]


@pytest.mark.parametrize("over", ["generations", "calls", "tokens", "usd"])
def test_a_curve_ends_with_the_numbers_of_the_report(client: Client, over: str) -> None:
    told = client.get(f"/api/compare?below=repo_quality/mix&over={over}").json()
    (experiment,), (curves,) = told["report"]["experiments"], told["curves"]
    page = Outline(client.get(f"/compare?below=repo_quality/mix&over={over}").text)
    assert "tables.js" in str(page.tags), "figures are saved and tables are copied"
    for arm, curve in zip(experiment["arms"], curves["curves"], strict=True):
        assert curve["arm"] == arm["arm"]
        assert curve["median"][-1] == arm["val"]["median"]
        assert (curve["low"][-1], curve["high"][-1]) == (arm["val"]["low"], arm["val"]["high"])
        assert curve["spent"][-1] == arm["budget"][over]
        assert f"{curve['median'][-1]:.3f}" in page.text


def test_what_published_runs_took_is_said_to_be_unknown(client: Client) -> None:
    page = client.get("/compare?below=imo&over=calls").text
    assert "not known of these runs how many model calls" in page


def test_chosen_runs_are_compared_and_one_arm_with_all(client: Client) -> None:
    chosen = ",".join(ids_of(client, "mix"))
    page = Outline(client.get(f"/compare?runs={chosen}&against=plain").text)
    assert "6 runs" in page.text
    assert client.get(f"/compare?runs={chosen}&against=nobody").status == 400


def test_runs_of_several_experiments_are_said_to_be_never_compared(client: Client) -> None:
    chosen = ",".join(ids_of(client, "seed1"))
    assert "never compared with each other" in client.get(f"/compare?runs={chosen}").text
    alone = client.get(f"/compare?runs={ids_of(client, 'plain')[0]}").text
    assert "There are no two arms with scores, so there is nothing to compare." in alone


def test_what_differs_in_the_configuration_stands_first(tmp_path: Path) -> None:
    ours(tmp_path, "small", 1, [0.1, 0.2], eval_samples=10)
    ours(tmp_path, "large", 1, [0.1, 0.2], eval_samples=20)
    with dashboard(tmp_path, tmp_path / "cache") as client:
        page = client.get("/compare?below=repo_quality").text
    assert page.index("what differs") < page.index("items of train and of validation</th>")
    assert "The same in all" in page


def test_a_hostile_name_stays_text(client: Client) -> None:
    page = client.get("/compare?below=imo").text
    assert HOSTILE not in page and HOSTILE in Outline(page).text


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("below=nowhere", 404, "here is no run below"),
        ("below=../../etc", 404, "here is no run below"),
        ("runs=abc", 404, "here is no run"),
        ("runs=abc&below=imo", 400, "cannot both be given"),
        ("below=imo&over=time", 400, "none of generations, calls, tokens, usd"),
        (f"below={'x' * 5000}", 400, "at most 4000"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(
    client: Client, query: str, status: int, told: str
) -> None:
    for path in ("/compare", "/api/compare"):
        answer = client.get(f"{path}?{query}")
        assert answer.status == status
        assert told in answer.text


def test_without_a_choice_folders_are_listed(client: Client) -> None:
    page = client.get("/compare").text
    assert f'href="/compare?below={quote("repo_quality/mix", safe="")}"' in page
    assert client.get("/api/compare").status == 400


def test_a_run_that_cannot_be_read_is_named_and_the_others_are_compared(tmp_path: Path) -> None:
    ours(tmp_path, "plain", 1, [0.1, 0.2])
    newer = ours(tmp_path, "newer", 1, [0.1, 0.3])
    record = json.loads((newer / "run_config.json").read_text())
    (newer / "run_config.json").write_text(json.dumps(record | {"format": 99}))
    with dashboard(tmp_path, tmp_path / "cache") as client:
        page = client.get("/compare?below=repo_quality").text
    assert "repo_quality/mix/newer/seed1 cannot be read" in page
    assert "plain" in page


@pytest.mark.long
def test_at_most_so_many_runs_are_compared(tmp_path: Path) -> None:
    for seed in range(MOST_COMPARED + 2):
        solo(tmp_path, "arm", seed, [0.1])
    with dashboard(tmp_path, tmp_path / "cache") as client:
        told = client.get("/api/compare?below=imo").json()
    assert "2 more are left out" in told["notes"][0]
    assert len(told["curves"][0]["curves"][0]["seeds"]) == MOST_COMPARED
