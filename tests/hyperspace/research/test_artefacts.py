"""What a job leaves is taken in formats that execute nothing."""

import pickle

import msgspec
import pytest

from hyperspace.research.environments.artefacts import why_not


def safetensors(header: object, data: bytes) -> bytes:
    head = msgspec.json.encode(header)
    return len(head).to_bytes(8, "little") + head + data


GOOD = {"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}


MORE = {"b": {"dtype": "I64", "shape": [], "data_offsets": [16, 24]}, "__metadata__": {"a": "b"}}


@pytest.mark.parametrize(
    "data",
    [safetensors(GOOD, bytes(16)), safetensors({}, b""), safetensors(GOOD | MORE, bytes(24))],
)
def test_safetensors_are_taken(data: bytes) -> None:
    assert why_not(data, "safetensors") == ""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        pickle.dumps({"w": 1.0}),
        safetensors(GOOD, bytes(15)),
        safetensors(GOOD, bytes(17)),
        safetensors({"w": GOOD["w"] | {"dtype": "PICKLE"}}, bytes(16)),
        safetensors({"w": GOOD["w"] | {"shape": [-2, -2]}}, bytes(16)),
        safetensors({"w": GOOD["w"] | {"data_offsets": [4, 20]}}, bytes(20)),
        safetensors({"w": GOOD["w"] | {"run": "rm"}}, bytes(16)),
        safetensors({"a": GOOD["w"], "b": GOOD["w"]}, bytes(16)),
        (1 << 40).to_bytes(8, "little") + bytes(64),
    ],
)
def test_what_is_no_safetensors_file_is_refused(data: bytes) -> None:
    assert why_not(data, "safetensors").startswith("is not in the safetensors format")


def test_json_has_no_nan_and_no_pickle_and_text_no_nul() -> None:
    assert why_not(b'{"a": [1.5]}', "json") == ""
    for data in (b'{"a": NaN}', b"[Infinity]", pickle.dumps([1]), b"", b"[" * 100_000, b"\xff"):
        assert why_not(data, "json").startswith("is not JSON"), data[:20]
    assert why_not("wörter\n".encode(), "text") == ""
    assert "NUL" in why_not(b"a\0b", "text")
    assert "UTF-8" in why_not(pickle.dumps([1.0], 5), "text")
