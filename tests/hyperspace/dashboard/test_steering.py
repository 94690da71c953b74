"""A page and a route steer a run: the same marks as those of the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.dashboards import Answer, Client, dashboard
from tests.support.runs.steered import SteeredPair
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]


def run_of(client: Client) -> str:
    return str(client.get("/api/runs").json()["runs"][0]["id"])


def wish(client: Client, verb: str, key: str = "0123456789abcdef", **fields: Any) -> Answer:
    address = f"/api/runs/{run_of(client)}/steer"
    return client.change(address, {"verb": verb, "fields": fields}, key)


def test_wishes_over_http_are_on_record_and_take_effect(tmp_path: Path) -> None:
    pair = SteeredPair(tmp_path / "results")
    pair.play_until("magpie:1:report")
    with dashboard(tmp_path / "results", tmp_path / "cache", steer=True) as client:
        said = wish(client, "say", agent="tinker", text="try <b>limits</b>")
        assert said.status == 200, said.text
        again = wish(client, "say", agent="tinker", text="try <b>limits</b>")
        assert again.json() == said.json()  # the same key: the same deed
        assert wish(client, "pin", "k" * 16, agent="magpie", generation=0).status == 200
        refused = wish(client, "pin", "l" * 16, agent="wren", generation=0)
        assert refused.status == 400
        assert "no agent 'wren'" in refused.json()["error"]
        assert wish(client, "praise", "m" * 16).status == 400
        for at, number in enumerate(({"calls": -1}, {"usd": -1e-9}, {"tokens": 2**62})):
            quota = wish(client, "quota", f"{at}" * 16, agent="tinker", **number)
            assert quota.status == 400
            assert "is no quota" in quota.json()["error"]
        forked = {"agent": "tinker", "generation": 0}
        model = "gpt-4@http://169.254.169.254/v1"
        sent = wish(client, "fork", "n" * 16, name="elsewhere", model=model, **forked)
        assert sent.status == 422
        assert "no addresses" in sent.json()["error"]
        spoken = wish(client, "fork", "o" * 16, name="principal", **forked)
        assert "cannot be called 'principal'" in spoken.json()["error"]
        pair.play()
        steering = client.get(f"/api/runs/{run_of(client)}/steering").json()
        assert [mark["verb"] for mark in steering["marks"]] == ["say", "pin"]
        assert all(mark["effect"] == "applied" for mark in steering["marks"])
        page = client.get(f"/runs/{run_of(client)}/steer").text
        assert "try &lt;b&gt;limits&lt;/b&gt;" in page
        assert "<b>limits" not in page
        assert "nothing left to steer" in page and "<textarea" not in page
    pair.assert_replays()


def test_a_key_is_known_after_the_dashboard_was_started_anew(tmp_path: Path) -> None:
    pair = SteeredPair(tmp_path / "results")
    pair.play_until("magpie:1:report")
    for _ in range(2):
        with dashboard(tmp_path / "results", tmp_path / "cache", steer=True) as client:
            assert wish(client, "say", agent="tinker", text="once").json() == {
                "text": "say tinker once"
            }
            assert wish(client, "pause", "k" * 16).json() == {"text": "pause"}
    assert [mark["verb"] for mark in pair.listed()["marks"]] == ["say", "pause"]


def test_without_steer_there_is_no_route_and_no_form(tmp_path: Path) -> None:
    pair = SteeredPair(tmp_path / "results")
    pair.play_until("magpie:1:report")
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        assert wish(client, "pause").status in (403, 404, 405)
        page = client.get(f"/runs/{run_of(client)}/steer").text
        assert "<form" not in page
        assert "--steer" in page
    assert json.dumps(pair.listed()["marks"]) == "[]"
