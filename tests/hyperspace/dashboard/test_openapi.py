"""The OpenAPI description: every real answer is what it says, and every error is described."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperspace.dashboard.api.openapi import ApiError, openapi
from hyperspace.dashboard.api.registry import CHANGES, ENDPOINTS
from tests.hyperspace.dashboard.json_schema import misfit
from tests.replication.report.runs import ours, solo
from tests.support.dashboards import Client, dashboard


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    base = tmp_path_factory.mktemp("results")
    ours(base, "plain", 1, [0.2, 0.4])
    ours(base, "freeze", 1, [0.2, None, 0.3])
    solo(base, "published", 1, [0.0, 0.5])
    with dashboard(base, tmp_path_factory.mktemp("cache"), steer=True) as served:
        yield served


@pytest.fixture(scope="module")
def described(client: Client) -> dict[str, Any]:
    return client.get("/api/openapi.json").json()


def addresses(client: Client, path: str) -> Iterator[str]:
    """Addresses of an endpoint that name what is there, for each run."""
    if path == "/api/compare":
        yield f"{path}?below=repo_quality"
        return
    runs = client.get("/api/runs").json()["runs"]
    for run in runs if "{run}" in path else runs[:1]:
        agent = "climber" if "repo_quality" in run["name"] else "-"
        filled = path.replace("{run}", run["id"]).replace("{agent}", agent)
        yield filled.replace("{generation}", "1")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_an_answer_is_what_the_description_says(
    endpoint: Any, client: Client, described: dict[str, Any]
) -> None:
    responses = described["paths"][endpoint.path]["get"]["responses"]
    for address in addresses(client, endpoint.path):
        answer = client.get(address)
        schema = responses[str(answer.status)]["content"]["application/json"]["schema"]
        assert misfit(answer.json(), schema, described) == "", address
        if answer.status == 200:
            msgspec.json.decode(answer.text, type=endpoint.kind, strict=True)


@pytest.mark.long
@given(st.text(min_size=1, max_size=60), st.sampled_from(ENDPOINTS), st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_is_asked_is_answered_as_described(
    client: Client, described: dict[str, Any], odd: str, endpoint: Any, data: st.DataObject
) -> None:
    names = [name for name, _ in endpoint.query] or ["nothing"]
    text = quote(odd, safe="", errors="replace")
    path = re.sub(r"{\w+}", data.draw(st.sampled_from((text, "..%2f..", "1e9"))), endpoint.path)
    answer = client.get(f"{path}?{data.draw(st.sampled_from(names))}={text}")
    if answer.headers["content-type"] == "application/json":
        responses = described["paths"][endpoint.path]["get"]["responses"]
        schema = responses[str(answer.status)]["content"]["application/json"]["schema"]
        assert misfit(answer.json(), schema, described) == ""
    else:  # the address is of no endpoint
        assert answer.status == 404


BODIES: dict[str, Any] = {
    "start": {"command": "pair", "models": ["offline/tinker"]},
    "forecast": {"command": "solo", "models": ["offline/tinker"], "options": {"arm": "b"}},
    "put_away": {},
    "bring_back": {"entry": "20261123T120000_00000000"},
    "steer": {"verb": "pause"},
    "review": {"agent": "climber", "inputs": {}},
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_change_is_answered_as_described_and_takes_the_body_that_is(
    change: Any, client: Client, described: dict[str, Any]
) -> None:
    operation = described["paths"][change.path]["post"]
    taken = operation["requestBody"]["content"]["application/json"]["schema"]
    good = BODIES[change.name]
    bad: tuple[Any, ...] = ([], 1, {**good, "more": 1}, *({name: None} for name in good))
    for number, body in enumerate((*bad, good)):
        (address, *_) = addresses(client, change.path)
        answer = client.change(address, body, f"{change.name}-{number}-key")
        schema = operation["responses"][str(answer.status)]["content"]["application/json"]["schema"]
        assert misfit(answer.json(), schema, described) == "", answer.text
        if body is good:
            assert misfit(body, taken, described) == ""
            assert "cannot be used" not in answer.text
        else:
            assert answer.status == 400, body
            if body != {"more": 1}:  # the validator takes more fields where none is named
                assert misfit(body, taken, described), body


def test_every_parameter_and_every_error_is_described() -> None:
    for path, methods in openapi(ENDPOINTS, CHANGES)["paths"].items():
        for method, operation in methods.items():
            names = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
            assert names == re.findall(r"{(\w+)}", path)
            assert {"200", "400", "403", "404", "421"} <= set(operation["responses"])
            assert all(each["description"] for each in operation["parameters"])
            if method == "post":
                assert {"405", "409", "413", "415", "422"} <= set(operation["responses"])


def test_every_reference_leads_somewhere_and_fields_have_their_sentences() -> None:
    described = openapi(ENDPOINTS, CHANGES)
    schemas = described["components"]["schemas"]
    references = re.findall(
        r'"#/components/schemas/([^"]+)"', msgspec.json.encode(described).decode()
    )
    assert set(references) <= set(schemas)
    assert schemas["ApiError"]["properties"]["error"]["description"] == "A sentence for people."
    assert schemas["ApiError"]["description"] == "Why there is no answer."
    assert "Attributes" not in schemas["BudgetCurve"]["description"]


@pytest.mark.long
@given(st.text(max_size=200))
def test_the_validator_knows_an_error_from_any_text(text: str) -> None:
    described = openapi(ENDPOINTS)
    schema = {"$ref": "#/components/schemas/ApiError"}
    assert misfit(msgspec.to_builtins(ApiError(text)), schema, described) == ""
    assert misfit({"error": 1}, schema, described)
    assert misfit({}, schema, described)


def test_an_address_that_is_none_is_told_as_the_others_are(client: Client) -> None:
    answer = client.get("/api/nothing")
    assert (answer.status, answer.json()) == (404, {"error": "there is nothing at this address"})
    page = client.get("/nothing")
    assert page.status == 404 and "There is nothing at this address." in page.text
