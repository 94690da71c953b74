"""What a job has left, checked before anything reads it: formats that execute nothing."""

import math
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import msgspec

from guards.parsing import decode_json
from hyperspace.research.environments.description import ArtefactFormat

_HEAD: Final = struct.Struct("<Q")
_MOST_HEADER_BYTES: Final = 1 << 20
_WIDTHS: Final[Mapping[str, int]] = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2,
    "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1,
}  # fmt: skip


class _Tensor(msgspec.Struct, forbid_unknown_fields=True):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def why_not(data: bytes, form: ArtefactFormat) -> str:
    """Return why content is not of a format, as the end of a sentence; empty if it is."""
    return _CHECKS[form](data)


def _json(data: bytes) -> str:
    try:
        decode_json(data, cast("type[object]", Any))
    except msgspec.DecodeError as error:
        return f"is not JSON: {str(error)[:200]}"
    return ""


def _text(data: bytes) -> str:
    try:
        return "holds NUL characters, which text has none of" * ("\0" in data.decode())
    except UnicodeDecodeError:
        return "is not UTF-8 text"


def _safetensors(data: bytes) -> str:
    """Check a header and that the tensors it names lie one after another in what follows.

    Source: https://huggingface.co/docs/safetensors, Format.
    """
    told = "is not in the safetensors format"
    if len(data) < _HEAD.size:
        return f"{told}: it is too short"
    (size,) = _HEAD.unpack_from(data)
    if size > min(_MOST_HEADER_BYTES, len(data) - _HEAD.size):
        return f"{told}: its header does not fit"
    try:
        header: dict[str, Any] = decode_json(data[_HEAD.size : _HEAD.size + size], dict[str, Any])
        header.pop("__metadata__", None)
        tensors = sorted(
            msgspec.convert(list(header.values()), list[_Tensor]), key=lambda t: t.data_offsets
        )
    except msgspec.DecodeError as error:
        return f"{told}: {str(error)[:200]}"
    end = 0
    for tensor in tensors:
        start, stop = tensor.data_offsets
        sizes = [*tensor.shape, _WIDTHS.get(tensor.dtype, 0)]
        if min(sizes) < 0 or tensor.dtype not in _WIDTHS or start != end:
            return f"{told}: it names a tensor that is none"
        if stop - start != math.prod(sizes):
            return f"{told}: a tensor has another size than its shape says"
        end = stop
    return "" if _HEAD.size + size + end == len(data) else f"{told}: its tensors do not fill it"


_CHECKS: Final[Mapping[ArtefactFormat, Callable[[bytes], str]]] = {
    "json": _json,
    "text": _text,
    "safetensors": _safetensors,
}
