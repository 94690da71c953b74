"""The transformer that is trained: 2 layers of 64, over characters. Frozen."""

import math

import torch
from torch import nn
from torch.nn import functional

CHARACTERS = "0123456789+*=."  # "." ends an answer
PROMPT = 7  # "xx+y*z="
ANSWER = 4  # three digits and the end
WIDTH = 64
LAYERS = 2
HEADS = 4


def encode(texts: list[str]) -> torch.Tensor:
    """Return texts of one length as numbers of characters."""
    return torch.tensor([[CHARACTERS.index(character) for character in text] for text in texts])


def decode(numbers: torch.Tensor) -> list[str]:
    """Return texts, each up to its first end."""
    rows = ["".join(CHARACTERS[number] for number in row) for row in numbers.tolist()]
    return [row.split(".")[0] for row in rows]


class CharacterBlock(nn.Module):
    """Attention to what came before, and two layers on each character."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.joined = nn.Linear(WIDTH, 3 * WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.before_layers = nn.LayerNorm(WIDTH)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, states: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        batch, length, _ = states.shape
        joined = self.joined(self.before_attention(states))
        split = joined.view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        weights = split[0] @ split[1].transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        weights = weights.masked_fill(hidden[:length, :length], -math.inf).softmax(-1)
        mixed = (weights @ split[2]).transpose(1, 2).reshape(batch, length, WIDTH)
        states = states + self.attended(mixed)
        return states + self.narrow(functional.gelu(self.wide(self.before_layers(states))))


class CharacterModel(nn.Module):
    """Gives a score to each character as the next one, at each place."""

    def __init__(self) -> None:
        super().__init__()
        self.character = nn.Embedding(len(CHARACTERS), WIDTH)
        self.place = nn.Embedding(PROMPT + ANSWER, WIDTH)
        self.blocks = nn.ModuleList([CharacterBlock() for _ in range(LAYERS)])
        self.normalised = nn.LayerNorm(WIDTH)
        self.scored = nn.Linear(WIDTH, len(CHARACTERS))
        self.hidden = torch.ones(PROMPT + ANSWER, PROMPT + ANSWER).triu(1).bool()

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return logits, (texts, places, characters)."""
        states = self.character(numbers) + self.place.weight[: numbers.shape[1]]
        for block in self.blocks:
            states = block(states, self.hidden)
        return self.scored(self.normalised(states))


@torch.no_grad()
def sample(model: CharacterModel, prompts: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return prompts with answers drawn after them; at a temperature of 0 the likeliest."""
    texts = prompts
    for _ in range(ANSWER):
        logits = model(texts)[:, -1]
        if temperature == 0:
            drawn = logits.argmax(-1, keepdim=True)
        else:
            drawn = torch.multinomial((logits / temperature).softmax(-1), 1)
        texts = torch.cat([texts, drawn], 1)
    return texts
