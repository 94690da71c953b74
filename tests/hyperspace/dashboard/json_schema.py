"""A validator for the part of JSON Schema that msgspec writes."""

from typing import Any, Final

_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_READ: Final = {
    *("$ref", "type", "properties", "required", "additionalProperties", "items", "prefixItems"),
    *("enum", "const", "anyOf", "title", "description", "default", "minItems", "maxItems"),
    *("minimum", "maximum", "discriminator", "propertyNames", "minLength", "maxLength", "format"),
    *("exclusiveMinimum", "exclusiveMaximum", "pattern", "examples"),
}


def misfit(value: Any, schema: dict[str, Any], document: dict[str, Any], at: str = "$") -> str:
    """Return where a value is not what a schema says; empty if it fits.

    Args:
        value: Decoded JSON.
        schema: What it should be.
        document: Where references lead into.
        at: Where the value stands, for the answer.
    """
    unknown = set(schema) - _READ
    assert not unknown, f"the schema says {unknown}, which nobody checks"
    if "$ref" in schema:
        return misfit(value, _target(schema["$ref"], document), document, at)
    if "anyOf" in schema:
        whys = [misfit(value, each, document, at) for each in schema["anyOf"]]
        return "" if "" in whys else " or ".join(whys)
    if "const" in schema and value != schema["const"]:
        return f"{at} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} is {value!r} and none of {schema['enum']}"
    kind = schema.get("type")
    if kind is not None:
        is_flag = type(value) is bool and kind in ("integer", "number")
        if is_flag or not isinstance(value, _KINDS[kind]):
            return f"{at} is {value!r} and no {kind}"
    decoded: Any = value
    if kind == "array":
        return _first(_items(decoded, schema, document, at))
    if kind == "object":
        return _first(_fields(decoded, schema, document, at))
    return ""


def _items(
    value: list[Any], schema: dict[str, Any], document: dict[str, Any], at: str
) -> list[str]:
    heads: list[dict[str, Any]] = schema.get("prefixItems", [])
    rest: Any = schema.get("items", {})
    other: dict[str, Any] = {} if isinstance(rest, bool) else rest
    kinds = [*heads, *([other] * (len(value) - len(heads)))]
    whys = [
        misfit(item, kind, document, f"{at}[{number}]")
        for number, (item, kind) in enumerate(zip(value, kinds, strict=False))
    ]
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        whys.append(f"{at} has {len(value)} items")
    return whys


def _fields(
    value: dict[str, Any], schema: dict[str, Any], document: dict[str, Any], at: str
) -> list[str]:
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    others: Any = schema.get("additionalProperties")
    whys = [f"{at} has no {name}" for name in schema.get("required", ()) if name not in value]
    for name, field in value.items():
        if name in properties:
            whys.append(misfit(field, properties[name], document, f"{at}.{name}"))
        elif others and not isinstance(others, bool):
            whys.append(misfit(field, others, document, f"{at}.{name}"))
        elif properties:
            whys.append(f"{at} has {name}, which the schema does not say")
    return whys


def _first(whys: list[str]) -> str:
    return next(filter(None, whys), "")


def _target(reference: str, document: dict[str, Any]) -> dict[str, Any]:
    target: Any = document
    for name in reference.removeprefix("#/").split("/"):
        target = target[name]
    return target
