"""The frozen evaluation: mean squared error of a line on sealed points."""

import json


def main() -> None:
    """Print the loss of the line that a job has left."""
    with open("artefacts/weights.json") as file:
        weights = json.load(file)
    slope, intercept = float(weights["slope"]), float(weights["intercept"])
    with open("points.json") as file:
        points = json.load(file)
    squares = [(slope * x + intercept - y) ** 2 for x, y in points]
    print(json.dumps({"loss": sum(squares) / len(squares)}))


if __name__ == "__main__":
    main()
