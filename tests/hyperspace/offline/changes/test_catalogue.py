"""Generic changes of training code: each where its anchor stands, and nowhere else."""

import pytest

from hyperspace.offline.changes.catalogue import changes

LOOP = """\
RATE = 0.02
STEPS = 100
BATCH_SIZE = 8
SHUFFLE = True
SEED = 3

def train(momentum=0.9, *, decay=0.0):
    rate = RATE
    for step in range(STEPS):
        grad = 1.0
        grad += 2.0
        rate *= 0.98
    return fit(weight_decay=1e-4, seed=5)
"""
TORCH = """\
import torch
from torch import nn
import torch.nn.functional as F
model = nn.Sequential(nn.Linear(2, 2), nn.GELU())
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.99))
for x, y in data:
    loss = F.cross_entropy(F.relu(model(x)), y)
    loss.backward()
    optimizer.step()
"""


def words(text: str, family: str) -> list[str]:
    return [change.words for change in changes("a.py", text) if change.family == family]


def test_numbers_are_scaled_and_what_stays_of_one_is_scaled_by_its_rest() -> None:
    told = words(LOOP, "number")
    assert "In a.py, set RATE to 0.08 in place of 0.02." in words(LOOP, "learning rate")
    assert "In a.py, set STEPS to 50 in place of 100." in told
    assert "In a.py, set momentum to 0.95 in place of 0.9." in told
    assert "In a.py, set momentum to 0.8 in place of 0.9." in told
    assert "In a.py, set decay to 0.9 in place of 0.0." in told
    assert "In a.py, set weight_decay to 0.0004 in place of 0.0001." in told
    assert not [line for line in told if "seed" in line.lower()], "another seed is no idea"


def test_flags_batches_decay_and_gradients_have_changes_of_their_own() -> None:
    assert words(LOOP, "flag") == ["In a.py, turn SHUFFLE off."]
    assert words(LOOP, "batch") == [
        "In a.py, double BATCH_SIZE and halve STEPS.",
        "In a.py, double STEPS and halve BATCH_SIZE.",
    ]
    assert words(LOOP, "schedule") == [
        "In a.py, keep rate as it is: no decay with each step.",
    ]
    clipped = [change.text for change in changes("a.py", LOOP) if change.family == "clipping"]
    assert "        grad += 2.0\n        grad = max(-1.0, min(1.0, grad))\n" in clipped[1]


def test_pytorch_has_anchors_of_its_own() -> None:
    by_family = {change.family: change for change in changes("a.py", TORCH)}
    assert {"learning rate", "activation", "optimiser", "loss", "clipping"} <= set(by_family)
    assert "    torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)\n    optimizer.step()" in (
        by_family["clipping"].text
    )
    assert "label_smoothing=0.1)" in by_family["loss"].text
    told = words(TORCH, "activation")
    assert "In a.py, line 4, use SiLU in place of GELU." in told
    assert "In a.py, line 7, use tanh in place of relu." in told


@pytest.mark.parametrize("text", ["", "x = (", "\0", "print('no anchor')\n", "x = 'text'\n"])
def test_where_there_is_no_anchor_there_is_no_change(text: str) -> None:
    assert changes("a.py", text) == []


def test_every_change_is_python_and_is_another_text() -> None:
    for text in (LOOP, TORCH):
        every = changes("a.py", text)
        assert len({change.words for change in every}) == len(every)
        assert text not in {change.text for change in every}
        for change in every:
            compile(change.text, "a.py", "exec")
