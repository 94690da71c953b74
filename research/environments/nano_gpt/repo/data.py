"""The training text, in batches. Frozen."""

import torch

from budget import Budget
from model import CONTEXT, DEVICE


class Corpus:
    """Draws stretches of the text; each byte that is drawn counts.

    Args:
        budget: Where tokens count.
        seed: Decides which stretches are drawn.
    """

    def __init__(self, budget: Budget, seed: int) -> None:
        with open("corpus.txt", "rb") as file:
            self._bytes = torch.tensor(list(file.read()))
        self._budget = budget
        self._draw = torch.Generator().manual_seed(seed)

    def batch(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return stretches of bytes, and the byte that follows at each place.

        Raises:
            TrainingOver: No tokens are left.
        """
        self._budget.spend("tokens", size * CONTEXT)
        starts = torch.randint(len(self._bytes) - CONTEXT, (size,), generator=self._draw)
        rows = self._bytes[starts[:, None] + torch.arange(CONTEXT + 1)]
        rows = rows.to(DEVICE)
        return rows[:, :-1], rows[:, 1:]
