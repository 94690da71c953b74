"""Research runs in the form of every run."""

from hypothesis import given
from hypothesis import strategies as st

from hyperspace.runs.records import Generation, Run, RunAgent
from hyperspace.runs.research.scored import fitness_of
from replication.report.idea_curves import curves_of_ideas
from replication.report.records import Arm

SCORES = st.integers(-(10**9), 10**9).map(lambda number: number / 10_000)


@given(SCORES, SCORES)
def test_where_less_is_better_the_lower_score_has_the_higher_rank(low: float, high: float) -> None:
    low, high = sorted((low, high))
    ranks = [fitness_of(low, "min"), fitness_of(high, "min")]
    assert all(rank is not None and 0 < rank < 1 for rank in ranks)
    assert (ranks[0] == ranks[1]) is (low == high)
    assert (ranks[0] or 0) >= (ranks[1] or 0)
    assert fitness_of(low, "max") is None


def run_with(scores: dict[int, float | None], seed: int, epochs: int = 2) -> Run:
    rows = (Generation(generation=n, valid=v is not None, val=v) for n, v in scores.items())
    agent = RunAgent("", tuple(rows))
    terms: dict[str, object] = {"epochs": epochs}
    return Run(arm="a", seed=seed, source="", agents=(agent,), terms=terms, unit="idea")


def test_a_curve_counts_each_seed_as_far_as_it_has_come() -> None:
    whole = run_with({0: 1.0, 1: None, 2: 3.0, 3: 2.0, 4: 4.0}, 1)
    gap = run_with({0: 2.0, 1: 5.0, 3: 9.0}, 2)  # idea 2 is not closed
    (curve,) = curves_of_ideas([Arm("a", "", (whole, gap))])
    assert (curve.ideas, curve.runs, curve.best) == ((0, 2, 4), (2, 1, 1), (1.5, 3.0, 4.0))


def test_many_epochs_are_thinned_and_other_runs_have_no_such_curve() -> None:
    many = run_with({n: float(n) for n in range(1001)}, 1, epochs=1000)
    (curve,) = curves_of_ideas([Arm("a", "", (many,))])
    ideas = list(curve.ideas)
    assert len(ideas) <= 13 and (ideas[0], ideas[-1]) == (0, 1000)
    assert curves_of_ideas([]) == ()
