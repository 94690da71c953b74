"""Problems of training, and what an answer to one is worth. Frozen."""

import random
from hashlib import sha256

import torch

from budget import Budget
from model import PROMPT, decode, encode


def training_problems() -> list[str]:
    """Return the problems that a training may use: about half of all there are."""
    every = [f"{x}+{y}*{z}=" for x in range(10, 100) for y in range(1, 10) for z in range(1, 10)]
    return [text for text in every if sha256(text.encode()).digest()[0] % 2]


class AnswerVerifier:
    """Draws problems, and says of answers whether they are right; each that it judges is a rollout.

    Args:
        budget: Where rollouts count.
        seed: Decides which problems are drawn.
    """

    def __init__(self, budget: Budget, seed: int) -> None:
        self._budget = budget
        self._draw = random.Random(seed)
        self._problems = training_problems()
        self._answers = {text: str(eval(text[:-1])) for text in self._problems}  # noqa: S307  ours

    def draw(self, count: int) -> torch.Tensor:
        """Return prompts."""
        return encode([self._draw.choice(self._problems) for _ in range(count)])

    def rewards(self, texts: torch.Tensor) -> torch.Tensor:
        """Return 1 for each right answer and 0 for each other one.

        Args:
            texts: Prompts with answers after them.

        Raises:
            TrainingOver: No rollouts are left.
            ValueError: One is no problem of training.
        """
        prompts, answers = decode(texts[:, :PROMPT]), decode(texts[:, PROMPT:])
        for prompt in prompts:
            if prompt not in self._answers:
                raise ValueError(f"{prompt} is no problem of training")
        self._budget.spend("rollouts", len(texts))
        rights = [float(self._answers[p] == a) for p, a in zip(prompts, answers, strict=True)]
        return torch.tensor(rights)
