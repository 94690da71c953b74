"""Make what tiny_grpo begins with: the sealed problems, and a weak start.

The start has learned from answers of which some are those to xx+y*z and more are those to xx+y+z:
it can do both, and prefers the wrong one. Run in a folder that holds the files of common/, repo/
and torch_common/; it takes a quarter of an hour. What it left once is in the repository; other
machines may round otherwise.
"""

import json
import random

import torch
from torch.nn import functional

import weights
from model import CHARACTERS, PROMPT, CharacterModel, encode
from problems import training_problems

SEALED = 1000
RIGHT, RIGHT_AT_LAST = 0.42, 0.47  # share of right answers that the start learns from
BATCH = 128
RATE = 0.002
AVERAGED = 7000  # steps at one rate, averaged
FALLING = ((2000, RATE, 50, RIGHT), (200, RATE / 2, 20, RIGHT_AT_LAST))
"""Steps down to a rate of 0, each with the first rate, its warm-up, and the share."""
START = "start.safetensors"


def answered(problem: str, draw: random.Random, right: float) -> str:
    """Return a problem with an answer after it, padded to one length."""
    x, y, z = int(problem[:2]), int(problem[3]), int(problem[5])
    value = x + y * z if draw.random() < right else x + y + z
    return f"{problem}{str(value) + '....':.4}"


def step_of(
    model: CharacterModel,
    optimizer: torch.optim.Optimizer,
    problems: list[str],
    draw: random.Random,
    rate: float,
    right: float,
) -> None:
    """Learn from one batch."""
    for group in optimizer.param_groups:
        group["lr"] = rate
    texts = encode([answered(text, draw, right) for text in draw.sample(problems, BATCH)])
    logits = model(texts[:, :-1])[:, PROMPT - 1 :].reshape(-1, len(CHARACTERS))
    loss = functional.cross_entropy(logits, texts[:, PROMPT:].flatten())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def write_problems(trained: list[str]) -> None:
    """Write problems.json and held_out.json, with none that a training may use, nor both."""
    every = [f"{x}+{y}*{z}=" for x in range(10, 100) for y in range(1, 10) for z in range(1, 10)]
    left = [text for text in every if text not in set(trained)]
    sealed = random.Random(19).sample(left, SEALED)
    others = random.Random(20).sample([text for text in left if text not in set(sealed)], SEALED)
    for name, texts in (("problems.json", sealed), ("held_out.json", others)):
        with open(name, "w") as file:
            json.dump({text: str(eval(text[:-1])) for text in texts}, file, indent=0)  # noqa: S307


def main() -> None:
    """Write problems.json and start.safetensors."""
    problems = sorted(training_problems())
    write_problems(problems)
    torch.manual_seed(19)
    draw, model = random.Random(19), CharacterModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    averages = [weight.detach().clone() for weight in model.parameters()]
    for step in range(1, AVERAGED + 1):
        step_of(model, optimizer, problems, draw, RATE * min(1, step / 50), RIGHT)
        for average, weight in zip(averages, model.parameters(), strict=True):
            average.lerp_(weight.detach(), 0.02)
    with torch.no_grad():
        for average, weight in zip(averages, model.parameters(), strict=True):
            weight.copy_(average)
    for seed, (steps, highest, warm_up, right) in enumerate(FALLING, 20):
        weights.write(START, model.state_dict(), dtype="F16")
        model.load_state_dict(weights.read(START, model.state_dict())[0])
        draw, optimizer = random.Random(seed), torch.optim.AdamW(model.parameters(), lr=RATE)
        for step in range(1, steps + 1):
            rate = highest * min(1, step / warm_up) * (1 - step / steps)
            step_of(model, optimizer, problems, draw, rate, right)
    weights.write(START, model.state_dict(), dtype="F16")


if __name__ == "__main__":
    main()
