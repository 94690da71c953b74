"""The OpenAPI description of all endpoints, made of what they are: nothing stands in it twice."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import msgspec

from hyperspace.dashboard.api.change import ChangeEndpoint
from hyperspace.dashboard.api.endpoint import ApiEndpoint

PATH: Final = "/api/openapi.json"
_PARAMETER: Final = re.compile(r"{(\w+)}")
_ATTRIBUTE: Final = re.compile(r"(\w+): (.*)")
_TOLD: Final = {
    "run": "id of a run, from /api/runs",
    "agent": "name of an agent in the run's record",
    "generation": "number of a generation, from 0",
    "idea": "number of an idea; 0 is the repository as it is",
}
ERRORS: Final = {
    400: "A value in the address cannot be used; the text says which, and what could.",
    403: "Who asks is not whom this dashboard was opened for.",
    404: "What the address names is not there; the text says what is.",
    409: "The run holds a link, which is not followed; the text says where.",
    421: "The Host header names another server than this one.",
    500: "The run cannot be read; the text says why.",
}
CHANGE_ERRORS: Final = ERRORS | {
    400: "What was posted cannot be used; the text says why.",
    405: "This dashboard was started without --steer.",
    409: "The key was that of another change, or the run holds a link.",
    413: "What was posted is too large.",
    415: "What was posted is no application/json.",
    422: "What was asked for cannot be done; the text says why.",
}
HEADERS: Final = (
    ("Hyperspace-Change", "token of the session, which pages have in <meta name=change-token>"),
    ("Idempotency-Key", "8 to 80 letters, digits, - or _: the same change is done once"),
)


class ApiError(msgspec.Struct, frozen=True):
    """Why there is no answer.

    Attributes:
        error: A sentence for people.
    """

    error: str


def openapi(
    endpoints: Iterable[ApiEndpoint], changes: Iterable[ChangeEndpoint] = ()
) -> dict[str, Any]:
    """Return the description of endpoints, by OpenAPI 3.1.

    Args:
        endpoints: What can be read.
        changes: What can be changed, with `--steer`.
    """
    endpoints, changes = tuple(endpoints), tuple(changes)
    kinds = [ApiError, *(each.kind for each in (*endpoints, *changes))]
    kinds += [change.body for change in changes]
    template = "#/components/schemas/{name}"
    schemas, components = msgspec.json.schema_components(kinds, ref_template=template)
    schema_of = dict(zip(kinds, schemas, strict=True))
    error = schema_of[ApiError]
    paths = {each.path: {"get": _operation(each, schema_of, error)} for each in endpoints}
    paths |= {each.path: {"post": _change(each, schema_of, error)} for each in changes}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hyperspace dashboard",
            "version": "1",
            "description": "What the pages of hyperspace dashboard show, as JSON.",
        },
        "paths": paths,
        "components": {"schemas": {name: _told(schema) for name, schema in components.items()}},
    }


def _operation(
    endpoint: ApiEndpoint, schema_of: Mapping[type, Any], error: Mapping[str, Any]
) -> dict[str, Any]:
    query = [
        {"name": name, "in": "query", "required": False, "description": told}
        for name, told in endpoint.query
    ]
    return _described(endpoint, query, schema_of[endpoint.kind], error, ERRORS)


def _change(
    change: ChangeEndpoint, schema_of: Mapping[type, Any], error: Mapping[str, Any]
) -> dict[str, Any]:
    headers = [
        {"name": name, "in": "header", "required": True, "description": told}
        for name, told in HEADERS
    ]
    described = _described(change, headers, schema_of[change.kind], error, CHANGE_ERRORS)
    content = {"application/json": {"schema": schema_of[change.body]}}
    described["description"] = "There with `hyperspace dashboard --steer` alone."
    return {**described, "requestBody": {"required": True, "content": content}}


def _described(
    endpoint: ApiEndpoint | ChangeEndpoint,
    more: Iterable[dict[str, Any]],
    schema: Mapping[str, Any],
    error: Mapping[str, Any],
    errors: Mapping[int, str],
) -> dict[str, Any]:
    parameters = [
        {"name": name, "in": "path", "required": True, "description": _TOLD.get(name, name)}
        for name in _PARAMETER.findall(endpoint.path)
    ]
    failures = {str(code): _answer(told, error) for code, told in errors.items()}
    return {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": [{**each, "schema": {"type": "string"}} for each in (*parameters, *more)],
        "responses": {"200": _answer(endpoint.summary, schema), **failures},
    }


def _answer(told: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": told, "content": {"application/json": {"schema": schema}}}


def _told(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema whose fields have the sentences that its docstring says of them."""
    text, _, attributes = str(schema.get("description", "")).partition("Attributes:")
    sentences: dict[str, str] = {}
    name = ""
    for line in attributes.splitlines():
        match = _ATTRIBUTE.fullmatch(line.strip())
        if match and match[1] in schema.get("properties", {}):
            name = match[1]
            sentences[name] = match[2]
        elif name and line.strip():
            sentences[name] += f" {line.strip()}"
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    described = {
        name: {**field, "description": sentences[name]} if name in sentences else field
        for name, field in properties.items()
    }
    short = {"description": " ".join(text.split())} if text else {}
    return {**schema, **short, **({"properties": described} if described else {})}
