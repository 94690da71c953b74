"""The frozen evaluation: nats a byte on sealed text, of which no place sees what follows it."""

import json
import sys
from os.path import isdir

import torch
from torch.nn import functional

import weights
from model import CONTEXT, DEVICE, ByteModel, model_of
from texts import read_text

TOLERANCE = 1e-3  # of a logit
MOST_BYTES = 1_048_576  # of sealed text
FOLDERS = "/opt/data"


def words_of(path: str) -> dict[str, str]:
    """Return the words of an artefact's header, which say what the model is."""
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")]).get("__metadata__", {})


def check_causal(model: ByteModel, row: torch.Tensor) -> None:
    """Check that a prefix alone gives the logits that it gives before any future.

    Raises:
        ValueError: It does not.
    """
    whole, shuffled = model(row[None])[0], row.clone()
    for length in (1, CONTEXT // 3, CONTEXT - 1):
        shuffled[length:] = row[length:].flip(0)
        for other in (model(row[None, :length])[0], model(shuffled[None])[0, :length]):
            if not torch.allclose(other, whole[:length], atol=TOLERANCE):
                raise ValueError("what follows changes what is told before")
        shuffled[length:] = row[length:]


@torch.no_grad()
def main() -> None:
    """Print the loss of the weights that a job has left."""
    path = "artefacts/weights.safetensors"
    model = model_of(words_of(path))
    model.load_state_dict(weights.read(path, model.state_dict())[0])
    model.to(DEVICE)
    data = sys.argv[1] if len(sys.argv) > 1 else "sealed"
    if isdir(f"{FOLDERS}/sealed") and not isdir(f"{FOLDERS}/{data}"):
        raise FileNotFoundError(f"--data sealed goes with --data {data}, and that was not given")
    text = read_text(data, "text.txt", MOST_BYTES)
    numbers = torch.tensor(list(text), device=DEVICE)
    rows = numbers[: len(numbers) // (CONTEXT + 1) * (CONTEXT + 1)].view(-1, CONTEXT + 1)
    check_causal(model, rows[0, :-1])
    total = 0.0
    for part in rows.split(32):
        logits = model(part[:, :-1]).flatten(0, 1)
        total += float(functional.cross_entropy(logits, part[:, 1:].flatten(), reduction="sum"))
    print(json.dumps({"loss": total / (rows.shape[0] * CONTEXT)}))


if __name__ == "__main__":
    main()
