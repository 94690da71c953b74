"""The training text, in batches: that of the folder of data if one was given. Frozen."""

import torch

from budget import Budget
from model import CONTEXT, DEVICE
from texts import read_text

MOST_BYTES = 1_073_741_824


class Corpus:
    """Draws stretches of the text; each byte that is drawn counts.

    Args:
        budget: Where tokens count.
        seed: Decides which stretches are drawn.
    """

    def __init__(self, budget: Budget, seed: int) -> None:
        text = read_text("text", "corpus.txt", MOST_BYTES)
        self._bytes = torch.frombuffer(text, dtype=torch.uint8)
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
        rows = rows.long().to(DEVICE)
        return rows[:, :-1], rows[:, 1:]
