"""Shares and their intervals."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.detectors.labels import Label
from benchmarks.detectors.measured import JudgedRun, measure_score, wilson


def test_wilsons_interval_is_the_one_of_the_textbooks() -> None:
    share = wilson(8, 10)
    assert share.value == 0.8
    assert (round(share.low or 0, 4), round(share.high or 0, 4)) == (0.4902, 0.9433)
    assert wilson(0, 0).value is None


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share_and_narrows_with_more_cases(counts: tuple[int, int]) -> None:
    hits, cases = counts
    few, more = wilson(hits, cases), wilson(10 * hits, 10 * cases)
    assert few.low is not None and few.high is not None and few.value is not None
    assert more.low is not None and more.high is not None
    assert -1e-12 <= few.low <= few.value + 1e-12
    assert few.value - 1e-12 <= few.high <= 1 + 1e-12
    assert more.high - more.low < few.high - few.low


def test_what_nobody_knows_counts_neither_way() -> None:
    label = Label(frozenset({("a", "1"), ("a", "2"), ("a", "3")}), frozenset({("a", "3")}))
    claims = frozenset({("a", "1"), ("a", "3"), ("b", "1")})
    score = measure_score("x", [JudgedRun("run", {"x": label}, {"x": claims})])
    assert (score.precision.hits, score.precision.cases) == (1, 2)
    assert (score.recall.hits, score.recall.cases) == (1, 2)
    assert [(mistake.case, mistake.kind) for mistake in score.mistakes] == [
        (("a", "2"), "missed"),
        (("b", "1"), "false"),
    ]
