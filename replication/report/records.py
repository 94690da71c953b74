"""What a report says, in one form for terminal, JSON and HTML; what is not known is None."""

from typing import Final, Literal

import msgspec

from hyperspace.runs.records import Run
from replication.report.statistics.median import Spread

ALPHA: Final = 0.05
THRESHOLDS: Final = (0.50, 0.55, 0.60, 0.65, 0.70)

Measure = Literal["val", "test", "area", "time_to"]
MEASURES: Final[dict[Measure, str]] = {
    "val": "best validation score",
    "test": "test score",
    "area": "area under the best validation score so far",
    "time_to": "generations to the threshold",
}
Verdict = Literal[
    "separable",
    "not separable",
    "cannot be separated with this many seeds",
    "cannot be separated with so many ties",
    "no seeds in common",
    "not tested: the items differ",
    "not tested: every score is the same",
]


class Reached(msgspec.Struct, frozen=True):
    """When runs of an arm first reached a score, at or above it or, where lower is better, below.

    Attributes:
        score: The validation score.
        runs: How many runs reached it.
        generation: Median over all runs of the first generation that reached it, where one that
            did not counts as later than any; None if the median is such a one.
    """

    score: float
    runs: int
    generation: float | None


class SeedResult(msgspec.Struct, frozen=True, kw_only=True):
    """Scores of one run of an arm; None stands for what is not known.

    Attributes:
        seed: The run seed.
        val: Validation score of the generation with the best fitness.
        ensemble: That of its ensemble; None where runs are ranked by what an agent answers alone.
        test: Test score of the generation with it.
        area: Mean of the best validation score so far over all generations (`measures.area`);
            None also where no measure was set beforehand.
        time_to: Generations to the threshold that was set (`measures.time_to`).
        generation: That generation.
        finished: Whether the run says that it is finished.
        test_exposed: Whether test was evaluated before the run was over.
        validation_bits: Bits of validation that its agents could have seen at most.
    """

    seed: int
    val: float | None
    ensemble: float | None
    test: float | None
    area: float | None = None
    time_to: float | None = None
    generation: int | None
    finished: bool | None
    test_exposed: bool | None
    validation_bits: float | None = None


class ArmBudget(msgspec.Struct, frozen=True):
    """Spending of a run of an arm: medians over its runs; None where it is not known of all.

    Attributes:
        agents: Agents in a run.
        generations: Generations of all its agents, beside the seed.
        candidates: Candidates that were made for them: a tournament has two.
        calls: Model calls.
        tokens: Tokens sent and received.
        usd: Money.
    """

    agents: float
    generations: float
    candidates: float
    calls: float | None
    tokens: float | None
    usd: float | None


class ArmSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One arm over its seeds.

    Attributes:
        arm: Its name.
        control: What kind of control it is; empty for an arm of interest.
        results: Of each seed, ascending.
        val: Best validation scores over the seeds.
        ensemble: Median of the scores of the best generations' ensembles, where they rank.
        test: Test scores over the seeds.
        area: Areas over the seeds, where a measure was set beforehand.
        time_to: Generations to the threshold over the seeds, where that is the measure.
        imp_at_k: Median of how much better the best validation score is than the seed's.
        evolved: Generations of all its runs beside the seeds: what the rates are shares of.
        scoring_rate: Share of evolved generations with a validation score above 0.
        valid_rate: Share of evolved generations that are valid.
        self_modification_rate: Share of evolved generations that edit meta_agent.py, of those
            where it is known.
        self_modification_known: Of how many generations that is known.
        code_bytes: Median size of the best generations' task_agent.py.
        reached: First generations at or above some scores (`thresholds.thresholds_for`).
        budget: What a run took.
    """

    arm: str
    control: str
    results: tuple[SeedResult, ...]
    val: Spread | None
    ensemble: float | None
    test: Spread | None
    area: Spread | None = None
    time_to: Spread | None = None
    imp_at_k: float | None
    evolved: int
    scoring_rate: float | None
    valid_rate: float | None
    self_modification_rate: float | None
    self_modification_known: int
    code_bytes: float | None
    reached: tuple[Reached, ...]
    budget: ArmBudget


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two arms on the seeds that they have in common.

    Numbers of a test are None where none is made: without pairs, or where every score is the same.

    Attributes:
        measure: What is compared.
        first: Name of an arm.
        second: Name of another; differences are first minus second.
        seeds: Those in common with a known score on both sides.
        ties: On how many of these both arms have the same score.
        ties_at_limit: How many of the ties are at the limit of the measure; None where it has none
            that is known.
        scatters: Whether the differences that are none of the ties differ among themselves.
        difference: Hodges-Lehmann estimate of the difference.
        low: Lower end of its 95% interval; None if so few pairs have none, and where all
            differences are equal.
        high: Upper end.
        p: Wilcoxon's signed-rank test, exact and two-sided.
        p_holm: p adjusted for all comparisons of this measure that are tested.
        smallest_p: The smallest p that the pairs without a tie can reach.
        rank_biserial: Effect size of the pairs, -1 to 1.
        cliffs_delta: Effect size over all seeds of both arms, paired or not, -1 to 1; None also
            where the items differ.
        unpaired_p: Rank-sum test over all seeds of both arms; no verdict rests on it.
        detectable: True difference in score, above 0, that as many pairs as do not tie would find 4
            times in 5, given how much these scatter; None if they can find none, and where they do
            not scatter, so that it is not known.
        verdict: What may be said.
        within_noise: Whether the difference is no larger than the noise floor; None without one.
        differs: Names of the conditions in which the runs of both arms differ beside the arm.
    """

    measure: Measure
    first: str
    second: str
    seeds: tuple[int, ...]
    ties: int
    ties_at_limit: int | None
    scatters: bool | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    smallest_p: float | None = None
    rank_biserial: float | None = None
    cliffs_delta: float | None = None
    unpaired_p: float | None = None
    detectable: float | None = None
    verdict: Verdict
    within_noise: bool | None = None
    differs: tuple[str, ...] = ()


class Noise(msgspec.Struct, frozen=True):
    """How much scores differ where nothing differs.

    Attributes:
        source: Where it comes from: an A/A arm, or code that was evaluated again.
        measure: Of what.
        pairs: How many differences there were.
        median: Of their absolute values.
        largest: Of their absolute values.
    """

    source: str
    measure: Measure
    pairs: int
    median: float
    largest: float


class Held(msgspec.Struct, frozen=True):
    """A value of a condition, and the runs that have it.

    Attributes:
        value: As text.
        runs: Name of each arm to the seeds of its runs with this value.
    """

    value: str
    runs: dict[str, tuple[int, ...]]


class Condition(msgspec.Struct, frozen=True):
    """Something beside the arm in which runs differ.

    Attributes:
        name: Its place in the configuration of `run_config.json`, such as `models`.
        values: Two or more.
    """

    name: str
    values: tuple[Held, ...]


class ArmCurve(msgspec.Struct, frozen=True):
    """The best score so far of an arm of research runs, over ideas.

    Attributes:
        arm: Its name.
        ideas: After so many ideas, and so jobs; 0 is the repository as it is.
        runs: How many of its runs have come so far.
        best: Median over them of the best score so far; None where none has.
    """

    arm: str
    ideas: tuple[int, ...]
    runs: tuple[int, ...]
    best: tuple[float | None, ...]


class ExperimentReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is said about the arms of one experiment.

    Attributes:
        experiment: Its name; empty where runs do not have one.
        domain: The task; empty where the source does not say.
        primary: The measure that all its fleets' files set before they were played; None where
            there is none.
        finding: What was found about sharing by that measure, and how sure it is.
        arms: By name, controls last.
        comparisons: All pairs of arms, or all with one of them, measure by measure; the primary
            one comes first.
        repeats: Arms against their A/A arms by the primary measure; each is one test by itself.
        noise: What is known of the noise floor.
        budget: Sentences on whether the arms had equal budgets.
        verdict: Sentences that sum the comparisons up; what was not run alike comes first.
        differing: What was not run alike.
        higher_is_better: Which way is up for scores; None where the source does not say, and then
            higher is taken as better. Differences are first minus second whichever way is up.
        limit: The best score that there can be (`limits.limit_of`); None where none is known.
        weights: What servers near the runs said that they run, a sentence for each model.
        notes: What is missing or damaged.
        curves: Of research runs, the best score so far at equal numbers of jobs.
        alpha: Level of the verdicts.
    """

    experiment: str
    domain: str
    primary: Measure | None = None
    finding: tuple[str, ...] = ()
    arms: tuple[ArmSummary, ...]
    comparisons: tuple[Comparison, ...]
    repeats: tuple[Comparison, ...] = ()
    noise: tuple[Noise, ...]
    budget: tuple[str, ...]
    verdict: tuple[str, ...]
    differing: tuple[Condition, ...]
    higher_is_better: bool | None = None
    limit: float | None = None
    weights: tuple[str, ...] = ()
    notes: tuple[str, ...]
    curves: tuple[ArmCurve, ...] = ()
    alpha: float = ALPHA


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The output of `hyperspace report`.

    Attributes:
        version: Of this form.
        source: What was read.
        experiments: Each with its arms; runs of different ones are never compared.
        left_out: A sentence for each run that could not be read.
    """

    version: int = 1
    source: str
    experiments: tuple[ExperimentReport, ...]
    left_out: tuple[str, ...] = ()


class Arm(msgspec.Struct, frozen=True):
    """An arm with its runs, in the order of their seeds; for figures and further analysis.

    Attributes:
        name: Its name.
        control: What kind of control it is; empty for an arm of interest.
        runs: One for each seed.
    """

    name: str
    control: str
    runs: tuple[Run, ...]
