"""The base of all records: frozen structs that offer `model_copy` and `model_dump`."""

from collections.abc import Mapping
from typing import Any, Self, cast

import msgspec


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value. Unknown keyword arguments raise TypeError."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """Return a copy with the fields in `update` replaced and validated."""
        return msgspec.structs.replace(self, **(update or {}))

    def model_dump(self) -> dict[str, Any]:
        """Return the fields as a new dict; nested records become dicts, enums stay enums."""
        return {name: plain(getattr(self, name)) for name in self.__struct_fields__}


def plain(value: Any) -> Any:
    """Return `value` with records turned into dicts, at any depth."""
    if isinstance(value, Record):
        return value.model_dump()
    if isinstance(value, tuple):
        return tuple(plain(item) for item in cast("tuple[Any, ...]", value))
    if isinstance(value, list):
        return [plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    return value


def put(record: msgspec.Struct, field: str, value: object) -> None:
    """Set a field of a frozen record while it is being constructed."""
    msgspec.structs.force_setattr(record, field, value)


def is_number(value: object) -> bool:
    """Return whether `value` is an int or a float; a bool is not a number here."""
    return isinstance(value, int | float) and not isinstance(value, bool)
