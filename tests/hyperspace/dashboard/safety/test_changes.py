"""What changes something: only with --steer, only from our own pages, once a key."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hyperspace.dashboard.api.change import AskedChange, ChangeEndpoint
from hyperspace.dashboard.errors import BadQuery
from tests.support.dashboards import Answer, Client, dashboard

KEY = "0123456789abcdef"


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is posted."""

    text: str


class Deeds:
    """A change that writes down what it did."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def change(self, change: AskedChange) -> dict[str, Any]:
        assert self.may_go_on.wait(60)
        self.done.append(change.body.text)
        if change.body.text == "refused":
            raise BadQuery("not like this")
        if change.body.text == "failed" and len(self.done) == 1:
            raise OSError("the disk is full")
        return {"text": change.body.text, "key": change.key, "times": len(self.done)}

    def endpoint(self) -> ChangeEndpoint:
        return ChangeEndpoint("wish", "/api/wish", self.change, Wish, dict, "Wish for something.")


@pytest.fixture
def deeds() -> Deeds:
    return Deeds()


@pytest.fixture
def client(tmp_path: Path, deeds: Deeds) -> Iterator[Client]:
    changes = (deeds.endpoint(),)
    with dashboard(tmp_path, tmp_path / "cache", changes, steer=True) as client:
        yield client


def post(client: Client, body: Any = None, **headers: str) -> Answer:
    what = {"text": "more"} if body is None else body
    return client.change("/api/wish", what, KEY, **headers)


def test_a_change_from_our_page_is_done(client: Client, deeds: Deeds) -> None:
    answer = post(client)
    assert (answer.status, answer.json()) == (200, {"text": "more", "key": KEY, "times": 1})
    assert deeds.done == ["more"]


def test_the_page_has_the_token_that_a_change_needs(client: Client, tmp_path: Path) -> None:
    meta = f'<meta name="change-token" content="{client.session.change_token}">'
    assert meta in client.get("/").text
    assert client.session.change_token not in client.session.cookie()
    with dashboard(tmp_path, tmp_path / "cache") as reading:
        assert "change-token" not in reading.get("/").text


def test_without_steer_there_is_nothing_that_changes(tmp_path: Path, deeds: Deeds) -> None:
    with dashboard(tmp_path, tmp_path / "cache", (deeds.endpoint(),)) as reading:
        assert post(reading).status == 405
        assert reading.get("/api/wish").status == 404
    assert not deeds.done


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Hyperspace_Change": ""}, 403),
        ({"Hyperspace_Change": "0" * 64}, 403),
        ({"Cookie": "hyperspace_1=x"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Type": ""}, 415),
        ({"Idempotency_Key": ""}, 400),
        ({"Idempotency_Key": "short"}, 400),
        ({"Idempotency_Key": "../../../../etc"}, 400),
    ],
)
def test_a_change_that_lacks_something_is_not_done(
    client: Client, deeds: Deeds, headers: dict[str, str], status: int
) -> None:
    answer = post(client, **headers)
    assert answer.status == status
    assert not deeds.done


def test_a_change_is_no_link_and_no_form(client: Client, deeds: Deeds) -> None:
    assert client.get("/api/wish?text=more").status == 405
    for method in ("PUT", "DELETE", "PATCH"):
        assert client.send(method, "/api/wish").status == 405
    assert not deeds.done


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"""{"text": 1}""", b"""{"text": "a", "b": 1}""", b"""{"text": "\xff"}"""],
)
def test_what_cannot_be_used_is_a_sentence(client: Client, deeds: Deeds, body: bytes) -> None:
    answer = post(client, body)
    assert answer.status == 400
    assert "cannot be used" in answer.json()["error"]
    assert not deeds.done


def test_deep_nesting_is_refused(client: Client) -> None:
    assert post(client, b"[" * 60_000).status == 400


def test_a_body_beyond_the_limit_is_refused(client: Client, deeds: Deeds) -> None:
    assert post(client, {"text": "a" * 70_000}).status == 413
    assert not deeds.done


def test_the_same_key_does_it_once_and_answers_the_same(client: Client, deeds: Deeds) -> None:
    answers = [post(client) for _ in range(3)]
    assert {answer.text for answer in answers} == {answers[0].text}
    assert deeds.done == ["more"]
    assert post(client, Idempotency_Key="another-key").json()["times"] == 2


def test_the_same_key_at_the_same_time_does_it_once(client: Client, deeds: Deeds) -> None:
    deeds.may_go_on.clear()
    answers: list[Answer] = []
    asking = [threading.Thread(target=lambda: answers.append(post(client))) for _ in range(4)]
    for thread in asking:
        thread.start()
    deeds.may_go_on.set()
    for thread in asking:
        thread.join(60)
    assert [answer.status for answer in answers] == [200] * 4
    assert deeds.done == ["more"]


def test_a_key_cannot_be_used_for_something_else(client: Client, deeds: Deeds) -> None:
    post(client)
    assert post(client, {"text": "other"}).status == 409
    assert deeds.done == ["more"]


def test_a_refused_change_stays_refused_and_a_failed_one_is_tried_again(
    client: Client, deeds: Deeds
) -> None:
    assert [post(client, {"text": "refused"}).status for _ in range(2)] == [400, 400]
    assert deeds.done == ["refused"]
    deeds.done.clear()
    failed = [post(client, {"text": "failed"}, Idempotency_Key="12345678") for _ in range(3)]
    assert [answer.status for answer in failed] == [500, 200, 200]
    assert deeds.done == ["failed", "failed"]
