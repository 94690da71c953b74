"""Train the model from its fixed start within the budget, and leave its weights. Frozen."""

import time

import torch

import weights
from budget import Budget, TrainingOver, count_updates
from model import CharacterModel
from problems import AnswerVerifier
from settings import ROLLOUTS, SEED, UPDATES


def main() -> None:
    """Train, and write weights.safetensors."""
    torch.manual_seed(SEED)
    budget = Budget({"rollouts": ROLLOUTS, "updates": UPDATES})
    count_updates(budget)
    model = CharacterModel()
    model.load_state_dict(weights.read("start.safetensors", model.state_dict())[0])
    from train import train

    try:
        train(model, AnswerVerifier(budget, SEED))
    except TrainingOver as spent:
        print(f"the training ends here: {spent}")
    print(f"used {budget.used} and {time.process_time():.1f} CPU seconds")
    weights.write("weights.safetensors", model.state_dict())


if __name__ == "__main__":
    main()
