"""Types of records are resolved before there are threads: two that do it at once end the process.

msgspec reads the fields of a record when the type is first decoded. Where a second thread decodes
it meanwhile, the interpreter ends with a segmentation fault (msgspec 0.22, Python 3.11).
"""

from collections.abc import Iterator
from contextlib import suppress

import msgspec


def resolve_records() -> None:
    """Have msgspec read the fields of every record that is imported."""
    for kind in _records(msgspec.Struct):
        with suppress(TypeError, NameError):  # records that are never decoded
            msgspec.json.Decoder(kind)


def _records(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from _records(below)
