"""What the analysis says of the published scores, held against what was published of them."""

from collections import Counter

import pytest

from tests.support.paths import SHARED
from tests.support.runs.traced import details
from transfer_experiment.analysis import AgentAnalysis
from transfer_experiment.survey import RunsSurvey, survey

SCORES = SHARED / "data" / "published" / "transfer_scores.csv"
pytestmark = pytest.mark.skipif(
    not SCORES.exists(), reason=f"the published scores are not {SCORES}"
)


@pytest.fixture(scope="module")
def published() -> RunsSurvey:
    return survey(SCORES)


def agents(published: RunsSurvey, pairing: str, seed: int) -> dict[str, AgentAnalysis]:
    (run,) = (run for run in published.runs if (run.pairing, run.seed) == (pairing, seed))
    return {agent.name: agent for agent in run.agents}


def test_all_of_them_are_read(published: RunsSurvey) -> None:
    totals = published.totals
    assert (totals.runs, totals.agents, totals.generations) == (20, 40, 1280)
    assert totals.adoptions is None  # without code nothing can be said of adoption
    assert all("no code and no traces" in note for run in published.runs for note in run.notes)


def test_the_best_score_is_070_of_qwen_with_kimi_at_seeds_42_and_46(published: RunsSurvey) -> None:
    assert published.totals.best_val == 0.70
    places = [(b.agent, b.pairing, b.seed, b.generation) for b in published.totals.best]
    assert places == [
        ("qwen3.6-plus", "qwen3.6-plus_vs_kimi-k2p5", 42, 11),
        ("qwen3.6-plus", "qwen3.6-plus_vs_kimi-k2p5", 46, 15),
    ]


def test_there_are_six_crashes_with_recovery(published: RunsSurvey) -> None:
    events = [
        (
            run.pairing,
            run.seed,
            crash.agent,
            crash.generation,
            *details(crash, "length", "recovered"),
        )
        for run in published.runs
        for crash in run.findings.of("crashes")
    ]
    assert events == [
        ("kimi-k2p5_vs_gpt-oss-120b", 42, "kimi-k2p5", 9, 8, 17),
        ("kimi-k2p5_vs_gpt-oss-120b", 44, "kimi-k2p5", 28, 2, 30),
        ("kimi-k2p5_vs_gpt-oss-120b", 44, "kimi-k2p5", 36, 2, 38),
        ("kimi-k2p5_vs_gpt-oss-120b", 45, "kimi-k2p5", 19, 2, 21),
        ("kimi-k2p5_vs_kimi-k2p5_b", 45, "kimi-k2p5_b", 29, 3, 32),
        ("qwen3.6-plus_vs_kimi-k2p5", 42, "kimi-k2p5", 17, 2, 19),
    ]


def test_best_scores_and_thresholds_of_a_run(published: RunsSurvey) -> None:
    run = agents(published, "qwen3.6-plus_vs_kimi-k2p5", 42)
    qwen, kimi = run["qwen3.6-plus"], run["kimi-k2p5"]
    assert (qwen.best_val, qwen.best_generation) == (0.70, 11)
    assert qwen.efficiency.reached == {"0.50": 3, "0.55": 3, "0.60": 10, "0.65": 10, "0.70": 11}
    assert qwen.efficiency.per_generation == pytest.approx(0.70 / 11)
    assert (kimi.best_val, kimi.best_generation) == (0.67, 20)
    assert kimi.efficiency.reached["0.70"] is None
    assert qwen.efficiency.calls is None  # there are no traces to count calls in


def test_how_many_agents_reach_each_threshold(published: RunsSurvey) -> None:
    reached = Counter(
        name
        for run in published.runs
        for agent in run.agents
        for name, at in agent.efficiency.reached.items()
        if at is not None
    )
    assert reached == {"0.50": 33, "0.55": 32, "0.60": 20, "0.65": 12, "0.70": 2}
