"""Train a model of bytes to tell the next one."""

import torch
from torch.nn import functional

from data import Corpus
from model import ByteModel

STEPS = 200
BATCH = 8
LEARNING_RATE = 0.001
WEIGHT_DECAY = 0.1
GRADIENT_NORM = 1.0
WARMUP_STEPS = 20
LINEAR_DECAY = False
SPREAD = 0.02  # of the first weights
OUTPUT_SCALE = 1.0  # of the first weights of layers that are added to states
NORM_FIRST = True
WITH_GAIN = True
ACTIVATION = functional.gelu
AVERAGE_DECAY = 0.0  # of the weights that are left in the end; 0 takes the last ones


def build() -> ByteModel:
    """Return a model with its first weights."""
    model = ByteModel(ACTIVATION.__name__, NORM_FIRST, WITH_GAIN)
    for name, weight in model.named_parameters():
        if weight.dim() == 2:
            scale = OUTPUT_SCALE if "attended" in name or "narrow" in name else 1.0
            torch.nn.init.normal_(weight, std=SPREAD * scale)
    return model


def rate_at(step: int) -> float:
    """Return the learning rate of a step."""
    rate = LEARNING_RATE * min(1.0, (step + 1) / max(WARMUP_STEPS, 1))
    return rate * (1.0 - step / STEPS) if LINEAR_DECAY else rate


def train(model: ByteModel, corpus: Corpus) -> None:
    """Train a model in place."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    averages = [weight.detach().clone() for weight in model.parameters()]
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step)
        inputs, targets = corpus.batch(BATCH)
        loss = functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), GRADIENT_NORM)
        optimizer.step()
        for average, weight in zip(averages, model.parameters(), strict=True):
            average.lerp_(weight.detach(), 1.0 - AVERAGE_DECAY)
        if step % 50 == 0:
            print(f"step {step}: {loss:.3f} nats a byte")
    with torch.no_grad():
        for average, weight in zip(averages, model.parameters(), strict=True):
            weight.copy_(average)
