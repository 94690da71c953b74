"""Group-relative policy optimisation: answers are compared with others to the same problem."""

import torch

from model import PROMPT, CharacterModel, sample
from problems import AnswerVerifier

STEPS = 30
PROBLEMS = 16  # of each step
GROUP = 8  # answers to each problem
MINI_BATCHES = 2  # of each step, one update each
LEARNING_RATE = 0.00002
WEIGHT_DECAY = 0.01
GRADIENT_NORM = 1.0
WARMUP_STEPS = 2
LINEAR_DECAY = False
TEMPERATURE = 1.0
CLIP_RATIO = 0.2
DIVIDE_BY_SPREAD = True
ENTROPY_BONUS = 0.0
AVERAGE_DECAY = 0.0  # of the weights that are left in the end; 0 takes the last ones


def rate_at(step: int) -> float:
    """Return the learning rate of a step."""
    rate = LEARNING_RATE * min(1.0, (step + 1) / max(WARMUP_STEPS, 1))
    return rate * (1.0 - step / STEPS) if LINEAR_DECAY else rate


def chances(model: CharacterModel, texts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the log chance of each character of the answers, and the entropy at each place."""
    logs = (model(texts[:, :-1])[:, PROMPT - 1 :] / TEMPERATURE).log_softmax(-1)
    chosen = logs.gather(-1, texts[:, PROMPT:, None]).squeeze(-1)
    return chosen, -(logs.exp() * logs).sum(-1)


def counted(texts: torch.Tensor) -> torch.Tensor:
    """Return 1 for the characters of answers up to their end, and 0 after it."""
    ends = (texts[:, PROMPT:] == 13).long()
    return (ends.cumsum(-1) - ends == 0).float()


def advantages(rewards: torch.Tensor) -> torch.Tensor:
    """Return how much better each answer is than its group, (problems, answers)."""
    centred = rewards - rewards.mean(1, keepdim=True)
    return centred / (rewards.std(1, keepdim=True) + 1e-4) if DIVIDE_BY_SPREAD else centred


def loss_of(
    model: CharacterModel, texts: torch.Tensor, gains: torch.Tensor, before: torch.Tensor
) -> torch.Tensor:
    """Return the clipped loss of a mini-batch."""
    chosen, entropy = chances(model, texts)
    ratio = (chosen - before).exp()
    bounded = ratio.clamp(1.0 - CLIP_RATIO, 1.0 + CLIP_RATIO)
    gained = torch.minimum(ratio * gains[:, None], bounded * gains[:, None])
    mask = counted(texts)
    return -((gained + ENTROPY_BONUS * entropy) * mask).sum() / mask.sum()


def train(model: CharacterModel, verifier: AnswerVerifier) -> None:
    """Train a model in place."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    averages = [weight.detach().clone() for weight in model.parameters()]
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step)
        texts = sample(model, verifier.draw(PROBLEMS).repeat_interleave(GROUP, 0), TEMPERATURE)
        rewards = verifier.rewards(texts)
        gains = advantages(rewards.view(PROBLEMS, GROUP)).flatten()
        with torch.no_grad():
            before = chances(model, texts)[0]
        for rows in torch.randperm(len(texts)).chunk(MINI_BATCHES):
            optimizer.zero_grad()
            loss_of(model, texts[rows], gains[rows], before[rows]).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), GRADIENT_NORM)
            optimizer.step()
        for average, weight in zip(averages, model.parameters(), strict=True):
            average.lerp_(weight.detach(), 1.0 - AVERAGE_DECAY)
        print(f"step {step}: {rewards.mean():.3f} right")
    with torch.no_grad():
        for average, weight in zip(averages, model.parameters(), strict=True):
            weight.copy_(average)
