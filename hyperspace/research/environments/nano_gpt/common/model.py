"""The transformer that is trained, over bytes. Frozen.

What may be chosen is an activation, and where and how states are normalised.
"""

import math

import torch
from torch import nn
from torch.nn import functional

BYTES = 256
CONTEXT = 128
WIDTH = 96
LAYERS = 3
HEADS = 4
DEVICE = "cpu"  # where it is trained, and judged
ACTIVATIONS = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "silu": functional.silu,
    "tanh": torch.tanh,
    "leaky_relu": functional.leaky_relu,
    "elu": functional.elu,
}


class ByteBlock(nn.Module):
    """Attention to what came before, and two layers on each byte.

    Args:
        activation: One of `ACTIVATIONS`.
        norm_first: Whether states are normalised before a layer, or after it is added.
        with_gain: Whether what is normalised is scaled by learned numbers.
    """

    def __init__(self, activation: str, norm_first: bool, with_gain: bool) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.norm_first = norm_first
        self.norms = nn.ModuleList(
            [nn.LayerNorm(WIDTH, elementwise_affine=with_gain) for _ in range(2)]
        )
        self.joined = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.attended = nn.Linear(WIDTH, WIDTH, bias=False)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def attend(self, states: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """Return what each place takes from those before it, and itself."""
        batch, length, _ = states.shape
        split = self.joined(states).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        weights = split[0] @ split[1].transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        weights = (weights + hidden[:length, :length]).softmax(-1)
        return self.attended((weights @ split[2]).transpose(1, 2).reshape(batch, length, WIDTH))

    def forward(self, states: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """Return the states after this block."""
        first, second = self.norms
        if self.norm_first:
            states = states + self.attend(first(states), hidden)
            return states + self.narrow(self.activation(self.wide(second(states))))
        states = first(states + self.attend(states, hidden))
        return second(states + self.narrow(self.activation(self.wide(states))))


class ByteModel(nn.Module):
    """Gives a score to each byte as the next one, at each place.

    Args:
        activation: One of `ACTIVATIONS`.
        norm_first: Whether states are normalised before a layer, or after it is added.
        with_gain: Whether what is normalised is scaled by learned numbers.
    """

    def __init__(
        self, activation: str = "gelu", norm_first: bool = True, with_gain: bool = True
    ) -> None:
        super().__init__()
        self.words = {
            "activation": activation,
            "norm_first": str(norm_first),
            "with_gain": str(with_gain),
        }
        self.byte = nn.Embedding(BYTES, WIDTH)  # and the scores of the next byte, too
        self.place = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(
            [ByteBlock(activation, norm_first, with_gain) for _ in range(LAYERS)]
        )
        self.normalised = nn.LayerNorm(WIDTH, elementwise_affine=with_gain)
        self.hidden = torch.full((CONTEXT, CONTEXT), -math.inf).triu(1)

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return logits, (texts, places, bytes)."""
        hidden = self.hidden.to(numbers.device)
        states = self.byte(numbers) + self.place.weight[: numbers.shape[1]]
        for block in self.blocks:
            states = block(states, hidden)
        return self.normalised(states) @ self.byte.weight.T


def model_of(words: dict[str, str]) -> ByteModel:
    """Return the model that words describe.

    Raises:
        ValueError: They describe none.
    """
    activation, flags = words.get("activation"), [words.get("norm_first"), words.get("with_gain")]
    if activation not in ACTIVATIONS or not set(flags) <= {"True", "False"} or len(words) != 3:
        raise ValueError(f"there is no such model: {str(words)[:200]}")
    return ByteModel(activation, flags[0] == "True", flags[1] == "True")
