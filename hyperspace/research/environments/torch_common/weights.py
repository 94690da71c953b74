"""Weights in the safetensors format: names, shapes and numbers, and nothing that executes. Frozen.

Source: https://huggingface.co/docs/safetensors, Format.
"""

import json
import struct

import torch

Tensors = dict[str, torch.Tensor]
CODES = {"F32": ("f", 4), "F16": ("e", 2)}  # of the module struct, and bytes of a number


def write(
    path: str, tensors: Tensors, words: dict[str, str] | None = None, dtype: str = "F32"
) -> None:
    """Write tensors, and words beside them."""
    header: dict[str, object] = {"__metadata__": words} if words else {}
    code, width = CODES[dtype]
    data = bytearray()
    for name, tensor in sorted(tensors.items()):
        numbers = tensor.detach().float().cpu().flatten().tolist()
        offsets = [len(data), len(data) + width * len(numbers)]
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": offsets}
        data += struct.pack(f"<{len(numbers)}{code}", *numbers)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path: str, expected: Tensors) -> tuple[Tensors, dict[str, str]]:
    """Read tensors that have names and shapes like others, and finite numbers; and the words.

    Raises:
        ValueError: They have not.
    """
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    words = header.pop("__metadata__", {})
    if header.keys() != expected.keys():
        raise ValueError(f"tensors are to be {sorted(expected)}, and are {sorted(header)[:50]}")
    tensors: Tensors = {}
    for name, entry in header.items():
        shape = list(expected[name].shape)
        if entry["shape"] != shape or entry["dtype"] not in CODES:
            raise ValueError(f"{name} is to be F32 {shape}, and is {str(entry)[:200]}")
        code, _ = CODES[entry["dtype"]]
        numbers = struct.unpack_from(
            f"<{expected[name].numel()}{code}", data, 8 + size + entry["data_offsets"][0]
        )
        tensors[name] = torch.tensor(numbers).reshape(shape)
        if not bool(torch.isfinite(tensors[name]).all()):
            raise ValueError(f"{name} holds numbers that are not finite")
    return tensors, words
