"""Scores that pairs of offline policies reach: `python -m benchmarks.offline_pairs --rows 1 11`.

Plays pairs without sandboxes (tests/support/runs/simulation.py), ten generations each, and prints
one line a run. `fresh` is the mean accuracy on all rows of generator seeds that no run has seen;
`operator` is what the published mutation operator reaches with an archive. With `--data FOLDER` the
pairs play imo_grading, and the grader answers for their task agents.
"""

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hyperspace.offline.registry import get
from hyperspace.tasks.base import Domain
from hyperspace.tasks.registry import load
from hyperspace.tasks.repo_quality.domain import DEFAULT_ROWS_SEED
from hyperspace.tasks.repository_rows import generate
from replication.policy.conditions import best_train
from tests.support.answering import Answering
from tests.support.runs.simulation import Player, Predict, answer_here, best_of, play_pair, score

POLICIES = ("tinker", "magpie")
FRESH_ROWS = range(900, 906)


def main() -> None:
    """Play what the command line asks for."""
    arguments = _parser().parse_args()
    if arguments.data:
        _play_grading(arguments.data, arguments.seeds)
    else:
        for rows_seed in arguments.rows:
            _play_rows(rows_seed, arguments.seeds)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[DEFAULT_ROWS_SEED])
    parser.add_argument("--seeds", type=int, default=10, help="run seeds: 1 to this one")
    parser.add_argument("--data", type=Path, help="folder of imo_grading, to play that instead")
    return parser


def _play_rows(rows_seed: int, seeds: int) -> None:
    domain, reached = load(f"repo_quality?rows_seed={rows_seed}"), _operator(rows_seed)
    start = fresh(domain.seed_files()["task_agent.py"].decode())
    print(f"rows {rows_seed}: operator {reached:.2f}; seed agent on fresh rows {start:.3f}")
    codes: list[str] = []
    trains: list[float] = []
    for line, players in _runs(domain, seeds, answer_here):
        best = best_of(players)
        codes.append(best.code)
        trains.append(best.train)
        print(f"{line} fresh {fresh(best.code):.3f}", flush=True)
    passed = sum(train > reached for train in trains)
    mean = statistics.mean(map(fresh, codes))
    print(f"  {passed} of {seeds} pass the operator; mean on fresh rows {mean:.3f}")


def _play_grading(data: Path, seeds: int) -> None:
    answering = Answering(get("grader", {}), most_items=100)
    for line, _ in _runs(load("imo_grading", data=data), seeds, answering):
        print(line, flush=True)


def _runs(domain: Domain, seeds: int, predict: Predict) -> Iterator[tuple[str, list[Player]]]:
    for seed in range(1, seeds + 1):
        policies = {name: get(name, {}) for name in POLICIES}
        with tempfile.TemporaryDirectory() as folder:
            players = play_pair(
                domain, policies, Path(folder), generations=10, seed=seed, predict=predict
            )
        yield f"  seed {seed:2}: {_describe(players)}", players


def _describe(players: list[Player]) -> str:
    best = best_of(players)
    adoptions = sum(g.adopted for player in players for g in player.generations)
    path = " ".join(f"{max(p.generations[n].train for p in players):.2f}" for n in range(11))
    return (
        f"train by generation {path} | best: generation {best.number:2}, train {best.train:.2f}, "
        f"val {best.val:.2f}, test {best.test:.2f} | {adoptions} adoptions |"
    )


def _operator(rows_seed: int) -> float:
    rows = generate(rows_seed)
    return max(best_train("hyperagent", rows, seed) for seed in range(5))


@cache
def fresh(code: str) -> float:
    """Mean accuracy over the rows of fresh generator seeds."""
    scored = [score(load(f"repo_quality?rows_seed={seed}"), 0, code) for seed in FRESH_ROWS]
    return statistics.mean(0.4 * g.train + 0.4 * g.val + 0.2 * g.test for g in scored)


if __name__ == "__main__":
    main()
