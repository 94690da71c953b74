"""A detector of one's own, in one file: this one. It is told, encoded, counted, and scored."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.detectors.labels import TRUTHS, Histories, Label, truth_of
from benchmarks.detectors.score import score, table
from hyperspace.cli.main import main
from tests.support.runs.played import Played, play
from transfer_experiment.findings import Finding, FindingKind, Measure, Turn, in_turn
from transfer_experiment.findings.registry import Detector, register, unregister

SPINS = FindingKind(name="spins", title="spun on the spot", measure=Measure("spin"))


def spins(turn: Turn) -> Iterator[Finding]:
    """Find the calls that a generation made three times or more."""
    for text, count in Counter(call.tool.text for call in turn.calls).items():
        if count > 2:
            evidence = [call.evidence() for call in turn.calls if call.tool.text == text]
            said = f"made one call {count} times"
            yield SPINS.finding(turn.agent, turn.generation, evidence, said)


def spun(histories: Histories) -> Label:
    """Label what a persona owns up to: the second file that a scored detector costs."""
    every = [made for generations in histories.values() for made in generations]
    repeats = [(made, deed) for made in every for _, deed in made.deeds if deed.act == "repeat"]
    return Label(frozenset(made.case for made, deed in repeats if (deed.amount or 0) > 2))


@pytest.fixture
def spinning() -> Iterator[None]:
    in_turn(SPINS)(spins)
    truth_of("spin")(spun)
    yield
    unregister("spins")
    del TRUTHS["spin"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A run in which one agent repeats a call three times, and the other one does not."""
    results = tmp_path_factory.mktemp("results")
    return play(results, "looper?repeats=3", "idler?how=same", generations=1)


@pytest.mark.long
@pytest.mark.usefixtures("spinning")
def test_its_findings_are_told_and_encoded(
    run: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", str(run.path)]) == 0
    told = capsys.readouterr().out
    assert "    looper: spun on the spot in generation 1\n" in told
    (habits,) = (line for line in told.splitlines() if line.startswith("  habits: "))
    assert habits.endswith(", 1 spins")
    assert main(["analyze", str(run.path), "--json", "--csv", str(tmp_path)]) == 0
    encoded: Any = json.loads(capsys.readouterr().out)
    (spin,) = encoded["runs"][0]["findings"]["spins"]
    assert (spin["agent"], spin["generation"]) == ("looper", 1)
    assert spin["text"] == "made one call 3 times"
    assert {item["rank"] for item in spin["evidence"]} == {"host-observed"}
    assert encoded["totals"]["findings"]["spins"] == 1
    assert ",spins,looper,1,looper/gen_1/llm_calls.jsonl:" in (tmp_path / "habits.csv").read_text()


@pytest.mark.usefixtures("spinning")
def test_it_is_scored_against_its_labels(run: Played) -> None:
    measures = {row.measure: row for row in score(run.path.parent, [run.path]).measures}
    assert (measures["spin"].precision.hits, measures["spin"].precision.cases) == (1, 1)
    assert (measures["spin"].recall.hits, measures["spin"].recall.cases) == (1, 1)


def test_where_its_labels_are_missing_the_score_names_it(run: Played) -> None:
    in_turn(SPINS)(spins)
    try:
        scores = score(run.path.parent, [run.path])
    finally:
        unregister("spins")
    assert scores.unlabelled == ("spin",)
    assert "not scored: 'spin', the measure of a detector" in table(scores)
    assert score(run.path.parent, [run.path]).unlabelled == ()


def test_without_it_nobody_speaks_of_it(run: Played, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", str(run.path), "--json"]) == 0
    assert "spins" not in capsys.readouterr().out


def test_two_detectors_cannot_have_one_name() -> None:
    with pytest.raises(ValueError, match="'looks' already; give this one another name"):
        register(Detector(FindingKind(name="looks", title="looked again"), in_turn=spins))
