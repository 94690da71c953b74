"""Train a model within the budget, and leave its weights. Frozen."""

import os
import time

import torch

import weights
from budget import Budget, TrainingOver, count_updates
from data import Corpus
from model import DEVICE
from settings import SEED, TOKENS, UPDATES


def main() -> None:
    """Train, and write weights.safetensors."""
    torch.manual_seed(SEED)
    if DEVICE != "cpu":  # a card adds in any order, unless it is told
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        torch.use_deterministic_algorithms(True, warn_only=True)
    budget = Budget({"tokens": TOKENS, "updates": UPDATES})
    count_updates(budget)
    from train import build, train

    model = build().to(DEVICE)
    try:
        train(model, Corpus(budget, SEED))
    except TrainingOver as spent:
        print(f"the training ends here: {spent}")
    print(f"used {budget.used} and {time.process_time():.1f} CPU seconds")
    weights.write("weights.safetensors", model.state_dict(), model.words)


if __name__ == "__main__":
    main()
