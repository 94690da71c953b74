"""Closing manifests with nothing in them but a validation score."""

from evolution.manifest import Manifest, SplitResult


def manifest(generation: int, val: float | None, *, valid: bool = True) -> Manifest:
    splits = {} if val is None else {"val": SplitResult({}, val, 10)}
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
