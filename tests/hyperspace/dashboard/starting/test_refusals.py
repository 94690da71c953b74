"""What a page may not start: nothing is started or written, and a sentence says why."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.dashboards import Answer, Client, dashboard

PAIR: dict[str, Any] = {"command": "pair", "models": ["offline/tinker", "offline/magpie"]}
SOLO: dict[str, Any] = {"command": "solo", "models": ["offline/tinker"]}
FLEET: dict[str, Any] = {"command": "fleet", "models": ["offline/tinker"] * 3}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    return folder


@pytest.fixture
def client(results: Path, tmp_path: Path) -> Iterator[Client]:
    with dashboard(results, tmp_path / "cache", steer=True) as client:
        yield client


def start(client: Client, what: Any) -> Answer:
    return client.change("/api/run", what, "0123456789abcdef")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (PAIR | {"options": {"trust": True}}, "the option 'trust' is not for pages"),
        (PAIR | {"options": {"--trust": True}}, "the option '--trust' is not for pages"),
        (FLEET | {"options": {"key-to": "http://evil"}}, "'key-to' is not for pages"),
        (PAIR | {"options": {"sandbox": "process"}}, "'sandbox' is not for pages"),
        (PAIR | {"options": {"results": "/tmp/x"}}, "'results' is not for pages"),
        (PAIR | {"options": {"initial": "/etc"}}, "'initial' is not for pages"),
        (PAIR | {"options": {"data": "/etc"}}, "'data' is not for pages"),
        (PAIR | {"options": {"anchor": "/tmp/x"}}, "'anchor' is not for pages"),
        (PAIR | {"options": {"cache": "/tmp/x"}}, "'cache' is not for pages"),
        (PAIR | {"options": {"allow-unknown-price": True}}, "not for pages"),
        (PAIR | {"options": {"visible": "train=full --trust\n--sandbox=process"}}, "no line of"),
        (PAIR | {"options": {"visible": "x" * 201}}, "no line of at most 200 characters"),
        (PAIR | {"options": {"needs": "yes"}}, "--needs is true or false"),
        (PAIR | {"options": {"eval-samples": ["1", "2"]}}, "--eval-samples takes one value"),
        (PAIR | {"options": {"eval-model": "../../x.py:M"}}, "is not for pages"),
        (PAIR | {"models": ["offline/tinker", "--trust"]}, "the model '--trust' is not for pages"),
        (PAIR | {"models": ["offline/tinker"]}, "a pair has 2 models; 1 were named"),
        (PAIR | {"models": ["offline/tinker", "gpt-4@http://127.0.0.1:1/v1"]}, "not for pages"),
        (PAIR | {"models": ["offline/tinker", "replay:/tmp/run#a"]}, "is not for pages"),
        (PAIR | {"models": ["offline/tinker", "offline/nobody"]}, "no offline policy"),
        (PAIR | {"models": ["offline/tinker", "claude-sonnet-4-6"]}, "needs a key"),
        (PAIR | {"domain": "docs/examples/domain.py:Sums"}, "the command line takes files, too"),
        (PAIR | {"domain": "./three_files"}, "is not for pages"),
        (PAIR | {"domain": "repo_quality\n--trust"}, "is not for pages"),
        (PAIR | {"domain": "repo_quality?rows_seed=%2e"}, "is not for pages"),
        (PAIR | {"domain": "nowhere"}, "take those that are installed"),
        (SOLO | {"options": {"experiment": "../../out"}}, "is no name of a folder"),
        (FLEET | {"name": "../out"}, "is no name of a folder"),
        (FLEET | {"name": "a\n[sharing]"}, "is no name of a folder"),
        (PAIR | {"generations": -1}, "-1 is not at least 1"),
        (PAIR | {"seed": 10**30}, "too large for a seed"),
        (PAIR | {"max_usd": -1}, "no amount"),
        (SOLO | {"options": {"arm": "zz"}}, "no arm is called 'zz'"),
    ],
)
def test_what_a_page_may_not_say_starts_nothing(
    client: Client, results: Path, body: dict[str, Any], told: str
) -> None:
    answer = start(client, body)
    assert answer.status == 422, answer.text
    assert told in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
    assert not [*results.iterdir()]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (PAIR | {"options": {"visible": "x" * 1_000_000}}, 413),
        (PAIR | {"command": "resume"}, 400),
        (PAIR | {"argv": ["--trust"]}, 400),
        (PAIR | {"models": "offline/tinker"}, 400),
        (PAIR | {"options": {"visible": {"a": 1}}}, 400),
        (b"{", 400),
    ],
)
def test_what_is_of_another_form_starts_nothing(
    client: Client, results: Path, body: Any, status: int
) -> None:
    assert start(client, body).status == status
    assert not [*results.iterdir()]


def test_a_model_of_a_provider_needs_its_key_in_the_environment_and_a_limit(
    client: Client, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = SOLO | {"models": ["claude-sonnet-4-6"]}
    (results.parent / ".env").write_text("ANTHROPIC_API_KEY=sk-of-the-folder\n")
    monkeypatch.chdir(results.parent)
    assert "set ANTHROPIC_API_KEY in the environment" in start(client, body).json()["error"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    refused = client.change("/api/run", body, "with-a-key")
    assert "may cost money; fill in a limit in US dollars" in refused.json()["error"]
    assert not [*results.iterdir()]


def test_a_forecast_needs_neither_a_key_nor_a_limit(
    client: Client, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    body = SOLO | {"models": ["claude-sonnet-4-6"]}
    ahead = client.change("/api/run/forecast", body, "forecast-key").json()
    assert ahead["low"]["usd"] < ahead["expected"]["usd"] < ahead["high"]["usd"]
    assert [*ahead["rests_on"]] == ["low", "expected", "high"]
    assert "set ANTHROPIC_API_KEY in the environment" in start(client, body).json()["error"]
    assert not [*results.iterdir()]


def test_no_run_is_put_behind_a_link(client: Client, results: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for link in (
        results / "repo_quality",
        results / "fleets",
        results / "repo_quality" / "tinker_vs_magpie",
        results / "repo_quality" / "tinker_vs_magpie" / "seed42",
    ):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(outside)
        body = FLEET if link.name == "fleets" else PAIR
        answer = client.change("/api/run", body, f"key-of-{link.name}")
        assert answer.status == 422
        assert "link" in answer.json()["error"]
        link.unlink()
    assert not [*outside.iterdir()]


def test_without_steer_there_is_no_form_and_no_route(results: Path, tmp_path: Path) -> None:
    with dashboard(results, tmp_path / "cache") as reading:
        assert start(reading, PAIR).status == 405
        page = reading.get("/new").text
        assert "<form" not in page and "--steer" in page
        assert "/new" not in reading.get("/").text
    assert not [*results.iterdir()]
