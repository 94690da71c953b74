"""What each rule of selection means: by hand, by closed form, and at its limits."""

from collections import Counter
from math import exp, isclose, isfinite
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.selection.named import SELECTIONS, selection
from hyperspace.kernel.selection.proportional import Proportional, log_score
from hyperspace.kernel.state.archive import Archive
from tests.support.runs.archives import Made, archive_of, family, manifests_of

FITNESSES = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.5, 0.9]), st.floats(0.0, 1.0))
SIZES = st.lists(st.tuples(FITNESSES, st.integers(0, 10**6), st.booleans()), max_size=20)
DRAWS = 4000
FEW = settings(max_examples=25)  # a regression here shows in nearly every example
PROPORTIONAL = ["score_prop", "score_child_prop", "score_child_prop:paper", "dgm"]


def rule(name: str) -> Proportional:
    rule = selection(name)
    assert isinstance(rule, Proportional)
    return rule


def probabilities(name: str, made: list[Made]) -> dict[int, float]:
    return probabilities_in(rule(name), archive_of(made))


def probabilities_in(select: Proportional, archive: Archive) -> dict[int, float]:
    """The probability of each valid generation; they sum to 1."""
    weights = select.weights(archive)
    valid = (entry.generation for entry in archive.entries if entry.valid)
    return {number: exp(weights.get(number) - weights.total) for number in valid}


def draws(name: str, archive: Archive, rng: Random) -> Counter[int]:
    select = selection(name)
    chosen = [select(archive, rng) for _ in range(DRAWS)]
    return Counter(each.generation for each in chosen if each is not None)


def some_archive(drawn: list[tuple[float | None, int, bool]]) -> list[Made]:
    """Generation 0 with fitness 0.5, and what was drawn, each under some earlier parent."""
    made = [Made(0.5)]
    for fitness, parent, compiled in drawn:
        made.append(Made(fitness, parent % len(made), compiled))
    return made


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-10 * x))


# By hand: fitnesses .5 (four children, of which one failed and did not compile), .6, .7, .4;
# the mean of the three best is (.7 + .6 + .5) / 3 = .6.
FAMILY = [Made(0.5), Made(0.6, 0), Made(0.7, 0), Made(None, 0), Made(0.4, 0)]
S_5, S_6, S_7, S_4 = 0.2689414214, 0.5, 0.7310585786, 0.1192029220
NOVELTY_4 = 0.8824969026  # exp(-(4 / 8)^3)


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("score_prop", (S_5, S_6, S_7, S_4)),
        ("score_child_prop", (S_5 * NOVELTY_4, S_6, S_7, S_4)),
        ("score_child_prop:paper", (S_5 / 4, S_6, S_7, S_4)),
        ("dgm", (0.5 / 5, 0.7310585786, 0.8807970780, 0.2689414214)),
    ],
)
def test_the_weights_are_those_computed_by_hand(name: str, weights: tuple[float, ...]) -> None:
    chances = probabilities(name, FAMILY)
    assert list(chances) == [0, 1, 2, 4]
    for share, weight in zip(chances.values(), weights, strict=True):
        assert isclose(share, weight / sum(weights), rel_tol=1e-8)


@pytest.mark.parametrize("fitnesses", [(0.3,), (0.3, 0.5)])
def test_with_fewer_than_three_scores_the_midpoint_is_their_mean(
    fitnesses: tuple[float, ...],
) -> None:
    midpoint = sum(fitnesses) / len(fitnesses)
    weights = [sigmoid(fitness - midpoint) for fitness in fitnesses]
    chances = probabilities("score_prop", [Made(fitness) for fitness in fitnesses])
    assert all(
        isclose(chances[number], weight / sum(weights)) for number, weight in enumerate(weights)
    )


@pytest.mark.parametrize("name", PROPORTIONAL)
@FEW
@given(SIZES)
def test_probabilities_are_finite_and_sum_to_one(
    name: str, drawn: list[tuple[float | None, int, bool]]
) -> None:
    made = some_archive(drawn)
    chances = probabilities(name, made)
    assert list(chances) == [number for number, each in enumerate(made) if each.fitness is not None]
    assert all(isfinite(share) and 0 <= share <= 1 for share in chances.values())
    assert isclose(sum(chances.values()), 1.0, rel_tol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("name", SELECTIONS)
@FEW
@given(SIZES, st.integers(0, 9))
def test_a_run_that_goes_on_chooses_what_a_restarted_one_would(
    name: str, drawn: list[tuple[float | None, int, bool]], seed: int
) -> None:
    made = some_archive(drawn)
    growing, followed = Archive("a"), selection(name)
    for length, closed in enumerate(manifests_of(made), start=1):
        growing.add(closed)
        restarted = selection(name)(archive_of(made[:length]), Random(seed))
        assert followed(growing, Random(seed)) == restarted
        assert restarted is not None
        assert restarted.valid


@pytest.mark.parametrize("name", PROPORTIONAL)
def test_ten_thousand_children_underflow_nothing(name: str) -> None:
    worn_out = [Made(0.5), Made(0.5), *(Made(None, number % 2) for number in range(10_000))]
    chances = probabilities(name, worn_out)
    assert list(chances) == [0, 1]
    assert all(isclose(share, 0.5, rel_tol=1e-6) for share in chances.values())


def test_past_the_underflow_fewer_children_still_count() -> None:
    # exp(-(73 / 8)^3) is 0.0 in floating point; 74 children must not look like 73.
    both = [Made(0.5), Made(0.5), *(Made(None, 0) for _ in range(74))]
    both += [Made(None, 1) for _ in range(73)]
    chances = probabilities("score_child_prop", both)
    assert isclose(chances[0], exp(-(74**3 - 73**3) / 512) / (1 + exp(-(74**3 - 73**3) / 512)))


def test_failed_children_count_but_for_the_paper_only_those_that_compiled() -> None:
    failed = [Made(0.5), Made(0.5), Made(None, 0), Made(None, 0)]
    compiled = [Made(0.5), Made(0.5), Made(None, 0, compiled=True), Made(None, 0, compiled=True)]
    assert probabilities("score_child_prop:paper", failed)[0] == 0.5
    assert isclose(probabilities("score_child_prop:paper", compiled)[0], 0.25)
    for name in ("score_child_prop", "dgm"):
        assert probabilities(name, failed) == probabilities(name, compiled)
        assert probabilities(name, failed)[0] < 0.5


@pytest.mark.parametrize("name", PROPORTIONAL)
@FEW
@given(st.permutations([0.0, 0.2, 0.2, 0.5, 0.9, 1.0]))
def test_the_order_of_generations_does_not_matter(name: str, fitnesses: list[float]) -> None:
    chances = probabilities(name, [Made(fitness) for fitness in fitnesses])
    by_fitness = {fitness: chances[number] for number, fitness in enumerate(fitnesses)}
    reference = probabilities(name, [Made(fitness) for fitness in sorted(fitnesses)])
    for number, fitness in enumerate(sorted(fitnesses)):
        assert isclose(by_fitness[fitness], reference[number], rel_tol=1e-9)


def test_draws_are_distributed_as_the_closed_form_says() -> None:
    archive = archive_of(FAMILY)
    drawn = draws("score_child_prop", archive, Random(3))
    for number, share in probabilities_in(rule("score_child_prop"), archive).items():
        assert isclose(drawn[number] / DRAWS, share, abs_tol=0.03)


@pytest.mark.parametrize(("name", "chosen"), [("latest", 3), ("best", 1), ("initial", 0)])
def test_fixed_rules_choose_one(name: str, chosen: int) -> None:
    archive = archive_of(family(0.5, 0.9, 0.9, 0.1, None))
    entry = selection(name)(archive, Random(1))
    assert entry is not None
    assert entry.generation == chosen


def test_random_chooses_any_valid_one_as_often() -> None:
    archive, rng = archive_of(family(0.0, 1.0, None, 0.5)), Random(5)
    drawn = Counter(
        getattr(selection("random")(archive, rng), "generation", None) for _ in range(3000)
    )
    assert set(drawn) == {0, 1, 3}
    assert all(isclose(count / 3000, 1 / 3, abs_tol=0.05) for count in drawn.values())


@pytest.mark.parametrize("name", SELECTIONS)
def test_of_nothing_valid_nothing_is_chosen(name: str) -> None:
    assert selection(name)(archive_of([Made(None)]), Random(1)) is None
    assert selection(name)(Archive("a"), Random(1)) is None


def test_an_unknown_rule_is_refused_with_those_that_exist() -> None:
    with pytest.raises(RunUsageError, match="score_child_prop:paper"):
        selection("fittest")


@given(st.floats(-1e300, 1e300))
def test_the_score_s_factor_is_finite_whatever_a_domain_calls_its_fitness(above: float) -> None:
    assert isfinite(log_score(above))
    assert log_score(above) <= 0
