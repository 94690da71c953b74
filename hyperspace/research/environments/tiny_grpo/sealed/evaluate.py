"""The frozen evaluation: the share of sealed problems whose likeliest answer is right."""

import json

import weights
from model import PROMPT, CharacterModel, decode, encode, sample


def main() -> None:
    """Print the accuracy of the weights that a job has left."""
    model = CharacterModel()
    tensors, _ = weights.read("artefacts/weights.safetensors", model.state_dict())
    model.load_state_dict(tensors)
    with open("problems.json") as file:
        problems: dict[str, str] = json.load(file)
    answers = decode(sample(model, encode(list(problems)), 0.0)[:, PROMPT:])
    right = sum(a == b for a, b in zip(answers, problems.values(), strict=True))
    print(json.dumps({"accuracy": right / len(problems)}))


if __name__ == "__main__":
    main()
