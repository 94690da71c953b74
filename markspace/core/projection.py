"""Projection: what a reader without content rights sees of a protected mark."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

import msgspec

from markspace.core.enums import MarkType
from markspace.core.marks import Mark

M = TypeVar("M", bound=Mark)

CONTENT_FIELDS: dict[MarkType, tuple[str, ...]] = {
    MarkType.INTENT: (),
    MarkType.ACTION: ("result",),
    MarkType.OBSERVATION: ("content",),
    MarkType.WARNING: ("reason",),
    MarkType.NEED: ("question", "context"),
}

BLANKS: Mapping[str, object] = MappingProxyType(
    {"result": None, "content": None, "context": None, "reason": "", "question": ""}
)


def project_mark(mark: M) -> M:
    """Return a copy without content, marked as projected.

    Raises:
        KeyError: A content field has no registered blank value.
    """
    blanked = {field: BLANKS[field] for field in CONTENT_FIELDS[mark.mark_type]}
    return msgspec.structs.replace(mark, projected=True, **blanked)
