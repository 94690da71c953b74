"""Closing manifests with nothing in them but scores."""

from hyperspace.kernel.state.manifest import Manifest, SplitResult


def manifest(
    generation: int, val: float | None, *, valid: bool = True, train: float | None = None
) -> Manifest:
    scores = {"train": train, "val": val}
    splits = {
        split: SplitResult({}, score, 10) for split, score in scores.items() if score is not None
    }
    return Manifest(
        agent="a",
        generation=generation,
        parent=None,
        code={},
        valid=valid,
        error="" if valid else "broken",
        error_class="" if valid else "candidate",
        gates={},
        violations=(),
        splits=splits,
        fitness=(val or 0.0) if valid else 0.0,
        seen=(),
        written=(),
        calls=(),
    )
