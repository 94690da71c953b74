"""A report of more seeds than a float can count the resamples of."""

import json
from pathlib import Path
from typing import Any

from tests.support.command import hyperspace


def test_an_arm_of_200_seeds_is_reported(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(["arm,seed,generation,val_score", *_lines(200)]))
    done = hyperspace("report", table, "--json")
    assert done.returncode == 0, done.stderr
    (experiment,) = json.loads(done.stdout)["experiments"]
    high, low = (_rounded(arm["val"]) for arm in experiment["arms"])
    assert high == (200, 0.675, 0.64, 0.71)
    assert low == (200, 0.545, 0.51, 0.58)
    (one,) = experiment["comparisons"]
    assert (len(one["seeds"]), one["verdict"]) == (200, "separable")


def _lines(seeds: int) -> list[str]:
    return [
        f"{arm},{seed},0,{start + seed % 50 / 100}"
        for arm, start in (("a", 0.43), ("b", 0.3))
        for seed in range(seeds)
    ]


def _rounded(spread: Any) -> tuple[float, ...]:
    return tuple(round(spread[name], 9) for name in ("n", "median", "low", "high"))
