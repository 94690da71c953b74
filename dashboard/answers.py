"""Answers as JSON, whatever the names in them are."""

import json
from typing import Any

import msgspec


def as_json(answer: Any) -> bytes:
    """Return an answer as JSON.

    Folders may have names that are no UTF-8; bytes of those that are none are written as lone
    surrogates, as Python reads them: one such folder must not take the list from all the others.
    """
    try:
        return msgspec.json.encode(answer)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(answer)).encode()
