"""Both rules on published folders: the published one held against its definition, word by word."""

import random
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

from hyperspace.runs.folders import read_run
from tests.support.runs.published_runs import POINTER, Generation, conversation, write_run
from transfer_experiment.analysis import RunAnalysis, analyse

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = """import math


def better(x):
    total = math.fsum(x)
    return "yes" if total > 3.5 else "no"
"""
READ = conversation(("cat strategies/b_gen1/task_agent.py", PEER), "I adopted b_gen1.")
IDLE = conversation(("ls", "task_agent.py"), "Done.")


def analysed(tmp_path: Path, a: Sequence[Generation], b: Sequence[Generation]) -> RunAnalysis:
    return analyse(read_run(write_run(tmp_path / "a_vs_b" / "seed1", {"a": a, "b": b})))


def sim(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b).ratio()


def by_definition(
    mine: Sequence[Generation], theirs: Sequence[Generation]
) -> list[tuple[int, float]]:
    """The published rule as its definition reads."""
    events: list[tuple[int, float]] = []
    for g in range(1, len(mine)):
        scored = [k for k in range(g + 1) if isinstance(theirs[k].val, float)]
        if not scored:
            continue
        best = max(scored, key=lambda k: (theirs[k].val, -k))
        code, own, peer = mine[g].code, mine[g - 1].code, theirs[best].code
        if code is None or own is None or peer is None:
            continue
        d_own, d_peer = 1 - sim(code, own), 1 - sim(code, peer)
        if d_own + d_peer and d_peer / (d_own + d_peer) < 0.4:
            events.append((g, d_peer / (d_own + d_peer)))
    return events


def lineage(rng: random.Random, other: list[Generation]) -> list[Generation]:
    """Code that is edited, now and then taken from the other, now and then missing."""
    code, made = SEED, list[Generation]()
    for number in range(10):
        peer = other[number - 1].code if number and len(other) >= number else None
        if peer and rng.random() < 0.3:
            code = peer
        code += f"def part_{rng.randrange(99)}(x):\n    return x * {rng.randrange(999)}\n"
        val = rng.choice((None, 0.0, 0.3, 0.3, 0.6))
        made.append(Generation(None if rng.random() < 0.15 else code, val, POINTER))
    return made


def test_the_published_rule_finds_what_its_definition_says_with_the_same_ratios(
    tmp_path: Path,
) -> None:
    for seed in range(6):
        rng = random.Random(seed)
        b = lineage(rng, [])
        a = lineage(rng, b)
        analysis = analysed(tmp_path / str(seed), a, b)
        for agent, expected in (("a", by_definition(a, b)), ("b", by_definition(b, a))):
            events = [e for e in analysis.adoptions if (e.rule, e.agent) == ("published", agent)]
            assert [(e.generation, e.ratio) for e in events] == expected


def test_both_rules_agree_on_a_copy_that_was_read(tmp_path: Path) -> None:
    a = [Generation(SEED), Generation(SEED, calls=IDLE), Generation(PEER, 0.8, READ)]
    b = [Generation(SEED, 0.5), Generation(PEER, 0.7, IDLE), Generation(PEER, 0.7, IDLE)]
    analysis = analysed(tmp_path, a, b)
    mine = [event for event in analysis.adoptions if event.agent == "a"]
    assert [(e.rule, e.verdict, e.generation, e.ratio) for e in mine] == [
        ("causal", "adopted", 2, 0.0),
        ("published", "adopted", 2, 0.0),
    ]
    assert [(item.rank, item.line) for item in mine[0].evidence] == [
        ("host-observed", 2),
        ("claimed", 2),
    ]
    assert mine[0].evidence[1].quote == "I adopted b_gen1."
    (comparison,) = (item for item in analysis.comparisons if item.agent == "a")
    assert (comparison.published, comparison.causal, comparison.why) == (0.0, 0.0, "")


def test_a_peers_code_of_the_same_round_is_no_adoption_and_it_is_said_why(tmp_path: Path) -> None:
    a = [Generation(SEED), Generation(PEER, 0.7, IDLE)]
    b = [Generation(SEED, 0.5), Generation(PEER, 0.7, IDLE)]
    analysis = analysed(tmp_path, a, b)
    assert {(e.rule, e.verdict) for e in analysis.adoptions} == {("published", "coincident")}
    assert {item.why for item in analysis.comparisons if item.agent == "a"} == {
        "b_gen1 was not in sight yet; in sight was b_gen0"
    }


def test_code_like_the_peers_that_was_not_read_is_coincident(tmp_path: Path) -> None:
    a = [Generation(SEED), Generation(SEED, calls=IDLE), Generation(PEER, 0.7, IDLE)]
    b = [Generation(SEED, 0.5), Generation(PEER, 0.7, IDLE), Generation(PEER, 0.7, IDLE)]
    analysis = analysed(tmp_path, a, b)
    assert {e.verdict for e in analysis.adoptions if e.agent == "a"} == {"coincident"}
    assert [item.why for item in analysis.comparisons if item.agent == "a"] == [
        "b_gen1 was in sight, but no path from it was observed"
    ]


def test_without_a_trace_the_same_is_unproven(tmp_path: Path) -> None:
    a = [Generation(SEED), Generation(SEED, calls=POINTER), Generation(PEER, 0.7, POINTER)]
    b = [Generation(SEED, 0.5), Generation(PEER, 0.7, IDLE), Generation(PEER, 0.7, IDLE)]
    analysis = analysed(tmp_path, a, b)
    assert {e.verdict for e in analysis.adoptions if e.agent == "a"} == {"unproven"}


def test_one_rule_alone_can_be_asked_for(tmp_path: Path) -> None:
    a = [Generation(SEED), Generation(SEED, calls=IDLE), Generation(PEER, 0.8, READ)]
    b = [Generation(SEED, 0.5), Generation(PEER, 0.7, IDLE), Generation(PEER, 0.2, IDLE)]
    run = read_run(write_run(tmp_path / "a_vs_b" / "seed1", {"a": a, "b": b}))
    assert [e.rule for e in analyse(run, ("causal",)).adoptions] == ["causal"]
    assert [e.rule for e in analyse(run, ("published",)).adoptions] == ["published"]
