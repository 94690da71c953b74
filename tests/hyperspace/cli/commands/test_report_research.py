"""`hyperspace report` on research runs: search against best of N, job by job."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hyperspace.research.loop.options import ResearchOptions
from tests.hyperspace.research.environments import CONFIG, JUDGE, write_small
from tests.hyperspace.research.runs import IDEATOR, run_research
from tests.support.command import failed, hyperspace
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [needs_bubblewrap, pytest.mark.long]
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seeds of both arms, where less is better."""
    folder = tmp_path_factory.mktemp("research")
    env = write_small(
        folder / "env",
        {
            "env.toml": CONFIG.replace("digits = 3", 'digits = 3\ngoal = "min"'),
            "sealed/judge.py": JUDGE.replace('"score": min', '"score": 9 - min'),
        },
    )
    for seed in SEEDS:
        for arm in ("search", "best_of_n"):
            options = ResearchOptions(
                env=str(env), models=(IDEATOR,), epochs=2, ideas=2, seed=seed,
                arm=arm, results=folder / "results",
            )  # fmt: skip
            run_research(options, lambda _line: None)
    return folder / "results"


def report(source: Path, *options: str | Path) -> Any:
    done = hyperspace("report", source, "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_arms_are_compared_seed_by_seed_with_the_reports_words(runs: Path, tmp_path: Path) -> None:
    table, page, images = tmp_path / "s.csv", tmp_path / "r.html", tmp_path / "figures"
    whole = report(runs, "--csv", table, "--html", page, "--png", images)
    (experiment,) = whole["experiments"]
    assert (experiment["domain"], experiment["higher_is_better"]) == ("small", False)
    assert experiment["differing"] == [], "the control has one epoch, and that is what it is"
    search, control = experiment["arms"]
    assert (search["arm"], control["arm"], control["control"]) == (
        "search",
        "best_of_n",
        "best_of_n",
    )
    for arm in (search, control):
        for result in arm["results"]:
            summary = runs / "small" / arm["arm"] / f"seed{result['seed']}" / "summary.json"
            fields = json.loads(summary.read_text())
            assert (result["val"], result["generation"]) == (fields["best"], fields["best_idea"])
        assert arm["budget"]["candidates"] == 4
    (comparison,) = experiment["comparisons"][:1]
    assert (comparison["seeds"], comparison["measure"]) == ([1, 2, 3], "val")
    assert comparison["verdict"].startswith("cannot be separated with")
    curves = {curve["arm"]: curve for curve in experiment["curves"]}
    assert curves["search"]["ideas"] == curves["best_of_n"]["ideas"] == [0, 2, 4]
    assert curves["search"]["best"][0] == 8
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 2 * 3 * 5
    last = next(r for r in rows if (r["arm"], r["seed"], r["generation"]) == ("search", "1", "4"))
    assert float(last["best_so_far"]) == search["results"][0]["val"]
    assert "after so many ideas, each a job" in page.read_text()
    assert (images / "medians-over-ideas.png").exists()
    text = hyperspace("report", runs).stdout
    assert "best of N: independent changes" in text
    assert "by them: the best of many is better" in " ".join(text.split())


def test_an_unfinished_or_damaged_run_is_said_and_the_others_count(
    runs: Path, tmp_path: Path
) -> None:
    copied = Path(shutil.copytree(runs, tmp_path / "results"))
    (copied / "small" / "search" / "seed1" / "space.db").unlink()
    (copied / "small" / "search" / "seed2" / "research.json").write_text("{}")
    whole = report(copied)
    (experiment,) = whole["experiments"]
    assert any("lost its space.db" in note for note in experiment["notes"])
    assert any("is no record of a research run" in line for line in whole["left_out"])
    seeds = {arm["arm"]: [r["seed"] for r in arm["results"]] for arm in experiment["arms"]}
    assert 3 in seeds["search"] and seeds["best_of_n"] == [1, 2, 3]


def test_a_moved_run_is_found_by_its_record_and_analyze_says_what_it_is(
    runs: Path, tmp_path: Path
) -> None:
    moved = Path(shutil.copytree(runs / "small" / "search" / "seed1", tmp_path / "a" / "moved"))
    (experiment,) = report(tmp_path / "a")["experiments"]
    assert [arm["arm"] for arm in experiment["arms"]] == ["search"]
    assert "is a research run; nobody adopts" in failed(hyperspace("analyze", moved), 2)
